import type { ErrorCode } from "yaml";

/** What would be right, for the faults that people make. The text of the file is not repeated: it may hold secrets. */
const explanations: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: "this alias is not valid; use *name for an anchor &name that stands before it",
  BAD_DQ_ESCAPE: "this escape is not valid in double quotes; write \\\\ for a backslash, or use single quotes",
  BAD_INDENT:
    "the indentation does not fit, or a bracket before this place is not closed; line the keys up with spaces",
  BAD_SCALAR_START: "text that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY:
    'a second key on one line; put it on a line of its own, or put text that contains ": " in quotes',
  BLOCK_IN_FLOW: "a block does not fit inside brackets; write all of it in brackets, or none",
  IMPOSSIBLE: "this is not YAML; check quotes, brackets and indentation before it",
  MISSING_CHAR:
    "something is missing here: a closing quote or bracket, a comma, a colon and a space after a key, or spaces before it",
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line and be followed by a colon and a space",
  MULTIPLE_ANCHORS: "a value can have one anchor; remove the others",
  MULTIPLE_TAGS: "tags are not used here; remove them",
  TAB_AS_INDENT: "a tab is used as indentation; use spaces",
  TAG_RESOLVE_FAILED: "tags (!…) are not used here; remove it, or put the text in quotes",
  UNEXPECTED_TOKEN: "this does not fit here; check quotes, brackets and indentation before it",
};

export function explainSyntax(code: ErrorCode): string {
  return explanations[code] ?? "this is not valid YAML; check quotes, brackets and indentation before it";
}
