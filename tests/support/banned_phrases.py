"""Phrases that documentation, docstrings, messages and comments avoid, each with a reason and a replacement.

`docs/style.md` shows this table (``python -m tests.support.prose --table`` prints it).
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Phrase:
    """A banned phrase.

    Parameters
    ----------
    name
        Short name in messages.
    pattern
        Regular expression that is searched in each sentence; ``^`` is the start of the sentence.
    why
        The fault.
    bad, good
        A sentence that the pattern finds, and its replacement.
    """

    name: str
    pattern: str
    why: str
    bad: str
    good: str

    def found_in(self, sentence: str) -> bool:
        """Whether a sentence contains the phrase."""
        return re.search(self.pattern, sentence) is not None


_RELATIVE = "a free relative clause is no subject: name the thing"
_AGENT = "the sentence hides who acts: make the actor the subject"
_PRIVATE = "a private idiom: use the term of the field"
_ORDER = "inverted word order: subject, verb, object"
_OLD = "archaic: use everyday English"
_PERSON = "software is not a person"

# After "its own": punctuation or a word that is no noun.
_NO_NOUN = r"(?=[,.;:)]|$| (?:and|or|in|with|that|which|is|are|has|have|at|by|for|to|as|on|beside)\b)"

PHRASES = (
    # Free relatives
    Phrase(
        "who-subject",
        r"^(?:And |But |If )?Who(?:ever)? (?!is\b.*\?)",
        _RELATIVE,
        "Who moves the slider looks at an earlier time.",
        "Moving the slider shows an earlier time.",
    ),
    Phrase(
        "what-subject",
        r"^What (?!.*\?)",
        _RELATIVE,
        "What the outlet cannot run is refused by name.",
        "The outlet raises an error that names each setting it does not support.",
    ),
    Phrase(
        "whoever",
        r"\b[Ww]hoever\b|\bwhomever\b",
        _RELATIVE,
        "The rows go to whoever reads them.",
        "The caller receives the rows.",
    ),
    Phrase(
        "to-who",
        r"\b(?:to|for|of|from|by) who\b|\bwhom\b",
        _RELATIVE,
        "The loop sends states to who spoke last.",
        "The loop replies to the address of the last packet.",
    ),
    Phrase(
        "and-what",
        r"[,;] (?:and |or )?what (?:is|are|has|have|can|cannot|(?:it )?does not) \w+(?: \w+)? "
        r"(?:is|are|stays?|goes|has|comes?)\b",
        _RELATIVE,
        "Angles are in radians, and what has no unit is dimensionless.",
        "Angles are in radians. Numbers without a unit are dimensionless.",
    ),
    Phrase(
        "of-what",
        r"\b(?:of|on|by|from|with|into|for|to|than|against) what (?:is|was|are|were|has|have|had|it|they|an?|can)\b",
        _RELATIVE,
        "The error is relative to what is tolerated.",
        "The error is relative to the tolerance.",
    ),
    Phrase(
        "without-load",
        r"\b[Ll]engths? without load\b",
        "the term of the field is unstretched length",
        "Give the length without load of an elastic cable.",
        "Give the unstretched length of an elastic cable.",
    ),
    # Agentless passives and personified software
    Phrase(
        "is-told",
        r"\b(?:is|are|was|were|be|been|being) told\b(?! (?:apart|from))",
        _AGENT,
        "The engine is told of the contacts in numbers.",
        "The engine receives the contacts as arrays.",
    ),
    Phrase(
        "is-said",
        r"\b(?:is|are|was|were|be|been|being) said\b",
        _AGENT,
        "What the command cannot have is said.",
        "The command reports the settings that it does not support.",
    ),
    Phrase(
        "says-so",
        r"\b(?:says?|said|saying|tells?) so\b",
        _PERSON,
        "A run that stops early says so.",
        "A run that stops early reports the reason in its status.",
    ),
    Phrase(
        "says-of",
        r"\b(?:says|tells|tell) of\b",
        _PERSON,
        "The log tells of every event.",
        "The log lists every event.",
    ),
    Phrase(
        "nobody",
        r"\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody)\b",
        _AGENT,
        "These are events that nobody is notified of.",
        "These are internal events, not reported to the user.",
    ),
    Phrase(
        "has-a-say",
        r"\bha(?:s|ve) (?:a|no) say\b",
        _PERSON,
        "The caller has a say at such an event.",
        "The caller may change the state at such an event.",
    ),
    Phrase(
        "knows-nothing",
        r"\bknows? no(?:thing)?\b",
        _PERSON,
        "The engine knows no machine.",
        "The engine is independent of the machine.",
    ),
    Phrase(
        "feels",
        r"\bfeels?\b",
        _PERSON,
        "The reference orbit does not feel the drag.",
        "The reference orbit is not subject to drag.",
    ),
    Phrase(
        "asks-here",
        r"\basks? (?:here|there)\b",
        _PERSON,
        "Every outlet asks here.",
        "Every outlet calls this function.",
    ),
    Phrase(
        "asked-for",
        r"\basked for\b",
        _PERSON,
        "The rows that were asked for are recorded.",
        "The requested rows are recorded.",
    ),
    Phrase(
        "asks-for",
        r"\b(?:it|that|which|FMU|loop|solver|method|command|library|engine) asks for\b",
        _PERSON,
        "The loop asks for a new sample.",
        "The loop requests a new sample.",
    ),
    Phrase(
        "looked-at",
        r"\b(?:is|are|was|were|be) looked (?:at|for|up|after)\b",
        _AGENT,
        "Signs are looked at after each step.",
        "The loop checks the signs after each step.",
    ),
    Phrase(
        "looks-on",
        r"\blooks? on\b",
        _PERSON,
        "The result is the same whether or not a page looks on.",
        "The result is the same with and without a live page.",
    ),
    Phrase(
        "looks-up",
        r"\blook(?:s|ed|ing)? up (?:anyway|every|twenty|ten|once|again|at)\b",
        _PRIVATE,
        "Native loops look up twenty times a second.",
        "Native loops poll for signals twenty times a second.",
    ),
    Phrase(
        "to-look-at",
        r"\b(?:what|nothing) to look at\b|\bplace to look at\b",
        _PRIVATE,
        "Ratios are what to look at.",
        "Compare the ratios.",
    ),
    Phrase(
        "honour",
        r"\bhonou?r(?:s|ed|ing)?\b",
        _PERSON,
        "The rollout cannot honour this setting.",
        "The rollout does not support this setting.",
    ),
    Phrase(
        "refuse-what",
        r"\b[Rr]efuses? what\b",
        _RELATIVE,
        "Refuse what the method cannot do.",
        "Raise an error for options that the method does not support.",
    ),
    Phrase(
        "wanted",
        r"\b(?:is|are|was|were) (?:not )?wanted\b",
        _AGENT,
        "The velocities that are wanted are kept.",
        "The requested velocities are kept.",
    ),
    Phrase(
        "to-be-had",
        r"\b(?:can(?:not)?|could(?: not)?|to|may|must) be had\b",
        _PRIVATE,
        "The shape cannot be had without trimesh.",
        "The shape requires trimesh.",
    ),
    # Private words
    Phrase(
        "a-word",
        r"\b(?:without|gives?|gets?) a word\b|\ba word (?:about|of warning)\b",
        _PRIVATE,
        "The load is scaled without a word.",
        "The load is scaled without a warning.",
    ),
    Phrase(
        "way-to-keep",
        r"\bways? (?:to|of|in which) (?:keep|keeping|deal|dealing|constraints)\b",
        _PRIVATE,
        "Projection is the default way to keep constraints.",
        "Projection is the default constraint method.",
    ),
    Phrase(
        "by-a-way",
        r"\bby (?:one of )?(?:these|those|two|three) ways\b|\bin a way of\b|\bother way by name\b",
        _PRIVATE,
        "Measures are computed by one of these ways.",
        "Measures are computed by one of these methods.",
    ),
    Phrase(
        "put-on",
        r"\b[Pp]ut(?:s|ting)? (?:\w+ ){0,7}on(?:to)? (?:the|its|their) constraints?\b"
        r"|\b(?:is|are) put (?:back )?on(?:to)?\b",
        _PRIVATE,
        "The start is put on the constraints.",
        "The start is projected onto the constraints.",
    ),
    Phrase(
        "acts-one-way",
        r"\b[Ww]hat acts one way\b|\bact(?:s|ing)? one way only\b",
        _PRIVATE,
        "Contacts and cables act one way only.",
        "Contacts and cables are unilateral.",
    ),
    Phrase(
        "to-the-bit",
        r"\bto the (?:last )?bit\b",
        _PRIVATE,
        "Both runs agree to the bit.",
        "Both runs are bitwise identical.",
    ),
    Phrase(
        "good-part",
        r"\bgood part\b|\bpart that is good\b",
        _PRIVATE,
        "The error carries the good part of the run.",
        "The error carries the run up to the failure.",
    ),
    Phrase(
        "goes-along",
        r"\bgo(?:es|ne|ing)? along(?: with (?:it|them|that))?(?=[,.;:)]| (?:twice|by|as|in the same)|$)",
        _PRIVATE,
        "Sampled laws go along.",
        "The export includes sampled laws.",
    ),
    Phrase(
        "brings-along",
        r"\bbr(?:ings?|ought) along\b",
        _PRIVATE,
        "The constraint method brings along its integrator.",
        "The constraint method determines the integrator.",
    ),
    Phrase(
        "takes-part",
        r"\bt(?:akes?|ook|aking) (?:no )?part\b",
        _PRIVATE,
        "Redundant rows take no part.",
        "Redundant rows are ignored.",
    ),
    Phrase(
        "goes-on",
        r"\b[Gg]o(?:es|ing)? on\b(?! (?:the|a|top|its|each|every)\b)|\bwent on\b|\bgone on\b",
        _PRIVATE,
        "The run goes on from there.",
        "The run continues from there.",
    ),
    Phrase(
        "where-it-stands",
        r"(?<!formed )\bwhere (?:it|they) stands?\b|\bin which they stand\b",
        _PRIVATE,
        "The error names the key and where it stands.",
        "The error names the key and its location.",
    ),
    Phrase(
        "stands-in",
        r"\bstands? (?:beside|above all|here\b|there\b|in (?:its|an?|the) (?!way|world|room))",
        _PRIVATE,
        "The definition of each joint stands in its module.",
        "Each module defines one kind of joint.",
    ),
    Phrase(
        "that-is-there",
        r"\b(?:that|which) (?:is|are) (?:not )?there\b|\bthat there (?:is|are)(?: not)?(?=[,.;:)]|$| while\b)",
        _PRIVATE,
        "Existing files that are there stay unchanged.",
        "Existing files stay unchanged.",
    ),
    Phrase(
        "alone-for-only",
        r"\bones alone\b|\bthem alone will do\b|\bwith that alone\b",
        _PRIVATE,
        "The loop reads the plain ones alone.",
        "The loop reads only the plain ones.",
    ),
    Phrase(
        "as-of",
        r"^As of (?!version|now|\d|January|today)",
        "'as of' introduces a date: write 'See' or 'As in'",
        "As of `Joint`.",
        "As in `Joint`.",
    ),
    Phrase(
        "nothing-of",
        r"\b[Nn]othing of\b",
        _PRIVATE,
        "Nothing of Python is needed at run time.",
        "Python is not needed at run time.",
    ),
    Phrase(
        "what-is-left",
        r"\bwhat(?: is|'s| was) left\b(?! (?:out|open|to)\b)",
        _RELATIVE,
        "A camera takes out what is left of the error.",
        "A camera removes the remaining error.",
    ),
    Phrase(
        "of-our-own",
        r"\bof (?:our|one's) own" + _NO_NOUN,
        _ORDER,
        "The sine is code of our own.",
        "The sine is our own code.",
    ),
    Phrase(
        "a-thing-of-its-own",
        r"\b[\w-]+ of (?:its|their) own" + _NO_NOUN,
        _ORDER,
        "The loop runs in a thread of its own.",
        "The loop runs in its own thread.",
    ),
    Phrase(
        "of-its-own-making",
        r"\bof (?:its|their|our) own making\b",
        _PRIVATE,
        "The solver stops at limits of its own making.",
        "The solver stops at its built-in limits.",
    ),
    Phrase(
        "does-without",
        r"\bdo(?:es)? without(?=[.,;:)]|$| (?:it|them|one)\b)",
        _PRIVATE,
        "Small machines do without it.",
        "Small machines do not need it.",
    ),
    Phrase(
        "lets-happen",
        r"\b[Ll]ets? happen\b|\b(?:come|came|comes|coming) to pass\b",
        _PRIVATE,
        "Let happen the events of this instant.",
        "Handle the events of this instant.",
    ),
    Phrase(
        "lack-of-verb",
        r"\blacks of\b|\b(?:may|can|they|tensions|forces|rows) lack of\b",
        _PRIVATE,
        "The cable lacks of its length 1 mm.",
        "The cable is 1 mm too short.",
    ),
    Phrase(
        "harmless-in-company",
        r"\bin company\b",
        _PRIVATE,
        "The inertia is impossible alone but harmless in company.",
        "The inertia is invalid alone but becomes valid once fixed bodies are merged.",
    ),
    Phrase(
        "the-faster-the-slower",
        r"\bthe (\w+er) the (\w+er)\b",
        _PRIVATE,
        "Slow slips turn the faster the slower they are.",
        "The slip direction changes rapidly at low slip speeds.",
    ),
    Phrase(
        "as-it-must",
        r"\bas (?:it|they) must\b|\bas little as it must\b",
        _PRIVATE,
        "The step shrinks as it must.",
        "The step shrinks to meet the tolerance.",
    ),
    Phrase(
        "lies-down",
        r"\b(?:lies?|lay) down\b|\b(?:on|from) (?:a|the) desk\b",
        _PRIVATE,
        "Members that wait lie on the desk.",
        "Members that wait are in the queue.",
    ),
    Phrase(
        "makes-of",
        r"\b[Ww]hat (?:[\w`]+ ){1,6}(?:makes?|has|have|had) of\b",
        _RELATIVE,
        "This is what the rows make of velocities.",
        "This is the product of the rows with the velocities.",
    ),
    Phrase(
        "done-about",
        r"\bdone about\b",
        _PRIVATE,
        "The kind says what is done about an event.",
        "The kind selects how the loop handles an event.",
    ),
    Phrase(
        "as-it-likes",
        r"\b(?:when|as|where|wherever|whatever|what) (?:it|they) likes?\b",
        _PERSON,
        "Python reads the buffer when it likes.",
        "Python reads the buffer at any time.",
    ),
    Phrase(
        "has-no-part",
        r"\bha(?:s|ve) no part in\b|\bha(?:s|ve) no place in\b",
        _PRIVATE,
        "Geometry has no part in the equations.",
        "Geometry does not affect the equations.",
    ),
    Phrase(
        "answers-for",
        r"\banswers? for\b",
        _PRIVATE,
        "A peer that answers for none of them ends the loop.",
        "The loop stops if the peer does not reply.",
    ),
    # Archaic words
    Phrase(
        "in-vain",
        r"\bin vain\b",
        _OLD,
        "The solver searches in vain.",
        "The solver finds no solution.",
    ),
    Phrase(
        "for-want-of",
        r"\bfor want of\b",
        _OLD,
        "The step fails for want of memory.",
        "The step fails because memory is exhausted.",
    ),
    Phrase(
        "none-but",
        r"\bnone but\b|\bno \w+ but (?:those|that|the ones)\b|\b(?:is|are) but (?:a|an|the)\b",
        _OLD,
        "The factor is none but rounding.",
        "The factor is zero except for rounding errors.",
    ),
    Phrase(
        "but-for",
        r"\b[Bb]ut for\b",
        _OLD,
        "The machines agree but for their names.",
        "The machines agree except for their names.",
    ),
    Phrase(
        "shall",
        r"\b[Ss]hall\b",
        _OLD,
        "The tip shall stop at the target.",
        "The tip must stop at the target.",
    ),
    Phrase(
        "upon",
        r"\b(?:[Uu]pon|whence|thence|[Tt]hereof|wherein|whereby|therein)\b",
        _OLD,
        "A joint acts upon itself.",
        "A joint acts on itself.",
    ),
    Phrase(
        "spoken-of",
        r"\bspoken of\b",
        _OLD,
        "The joint is spoken of by its name.",
        "Messages refer to the joint by its name.",
    ),
    Phrase(
        "for-as-because",
        r", for (?:it|they|there|nothing|this|these|CasADi|he) (?:is|are|has|have|would|could|does|do|can|may)\b",
        _OLD,
        "The lock is global, for CasADi is not thread-safe.",
        "The lock is global because CasADi is not thread-safe.",
    ),
    Phrase(
        "some-ten",
        r"\bsome (?:two|three|four|five|six|seven|eight|ten|twenty|thirty|fifty|hundred|\d[\d,.]*)\b(?! of)",
        _OLD,
        "The callback runs some ten times a second.",
        "The callback runs about ten times a second.",
    ),
    # Word order
    Phrase(
        "fronted-of",
        r"^Of (?!course\b)",
        _ORDER,
        "Of the two either may be omitted.",
        "Either of the two may be omitted.",
    ),
    Phrase(
        "so-is",
        r"^So (?:is|are|do|does|has|have|did|was|were)\b",
        _ORDER,
        "So are the inputs of the next period.",
        "The inputs of the next period are also held.",
    ),
    Phrase(
        "nor-is",
        r"(?:^Nor|; nor) \w+",
        _ORDER,
        "Nor is a jump over zero detected.",
        "A jump over zero is not detected either.",
    ),
)
