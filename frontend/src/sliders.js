// A slider and a field for the same number.
import { element } from "./dom.js";

export function slider({ name, value, lower, upper, unit }, change) {
  const label = unit ? `${name} [${unit}]` : name;
  const range = element("input", { type: "range", min: lower, max: upper, step: "any", value, ariaLabel: `${label}, slider` });
  const field = element("input", { type: "number", step: "any", value: Number(value.toPrecision(6)), dataset: { name }, ariaLabel: label });
  range.oninput = () => {
    field.value = Number(Number(range.value).toPrecision(4));
    change(Number(field.value));
  };
  field.onchange = () => {
    range.value = field.value;
    change(Number(field.value));
  };
  const row = element("label", { className: "row slider" }, element("span", { title: name }, label), range, field);
  // Show another number, which something else has set.
  row.show = (x) => {
    range.value = x;
    field.value = Number(x.toPrecision(6));
  };
  return row;
}
