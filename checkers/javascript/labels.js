// A label as a statement writes it.

import { writeString } from "./json.js";

export function labelText(label, header) {
  return header.labels === "text" ? writeString(label) : label;
}
