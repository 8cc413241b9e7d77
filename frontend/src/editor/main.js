// The editor of machine files: a script of its own, which only the studio carries.
import { autocompletion, closeBrackets, closeBracketsKeymap, CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { forceLinting, lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completions, described, Schema } from "./schema.js";

const DELAY = 350; // milliseconds after the last key before the text is checked

const colours = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: "var(--da-key)" },
  { tag: tags.propertyName, color: "var(--da-key)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--da-number)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--da-string)" },
  { tag: tags.comment, color: "var(--da-comment)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--da-soft)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", background: "var(--da-paper)", color: "var(--da-ink)" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.5" },
  ".cm-gutters": { background: "var(--da-page)", color: "var(--da-soft)", borderRight: "1px solid var(--da-line)" },
  ".cm-activeLine": { background: "var(--da-active)" },
  ".cm-activeLineGutter": { background: "var(--da-active)" },
  ".cm-cursor": { borderLeftColor: "var(--da-ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--da-chosen) !important" },
  ".cm-tooltip": { background: "var(--da-paper)", color: "var(--da-ink)", border: "1px solid var(--da-edge)", maxWidth: "420px" },
  ".cm-tooltip .da-hover": { padding: "6px 9px", whiteSpace: "normal", font: "12.5px system-ui, sans-serif" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--da-accent)", color: "#fff" },
  ".cm-panels": { background: "var(--da-page)", color: "var(--da-ink)" },
});

// An editor in a host. `check(text)` gives [{line, message}], `schema()` the schema; `onchange(text)` and `onrun(text)` hear.
export function create(host, { text, check, schema, onchange, onrun, onfaults }) {
  const known = new Schema();
  const ready = schema().then((answer) => known.load(answer.schema)).catch(() => {});
  const marks = async (view) => {
    const content = view.state.doc.toString();
    const faults = await check(content).catch(() => []);
    if (content === view.state.doc.toString()) onfaults?.(faults);
    return faults.map(({ line, message }) => {
      const { from, to, text: shown } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      return { from: from + (shown.length - shown.trimStart().length), to, severity: "error", message };
    });
  };
  const hover = hoverTooltip((view, pos) => {
    const about = described(view.state.doc, pos, known);
    if (!about) return null;
    const dom = Object.assign(document.createElement("div"), { className: "da-hover", textContent: about.text });
    return { pos: about.from, end: about.to, create: () => ({ dom }) };
  });
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), history(), foldGutter(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), search({ top: true }),
        yaml(), syntaxHighlighting(colours), look, EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "machine file", tabindex: "0" }),
        autocompletion({ override: [async (context) => (await ready, completions(context, known))] }),
        linter(marks, { delay: DELAY }), lintGutter(), hover,
        keymap.of([
          { key: "Mod-Enter", run: ({ state }) => (onrun(state.doc.toString()), true) },
          ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap,
        ]),
        EditorView.updateListener.of((update) => update.docChanged && onchange(update.state.doc.toString())),
      ],
    }),
  });
  return {
    view,
    get text() {
      return view.state.doc.toString();
    },
    set text(value) {
      if (value !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
    },
    check: () => forceLinting(view),
    // Put the cursor at a line, in sight.
    go(line) {
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    // What is offered at a position.
    offered: (pos) => completions(new CompletionContext(view.state, pos, true), known)?.options.map(({ label }) => label) ?? [],
  };
}

globalThis.dalembertEditor = { create };
