import type { TaskTree } from "../http/control/schema/task.js";
import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { stateSign, stateText } from "./state-text.js";

/** A delegation tree, one task a line; the task that was asked for is marked when it is not the root. */
export function treeText(root: TaskTree, marked: string, colors: Colors): string {
  return lines(root, "", "", marked === root.id ? null : marked, colors).join("\n");
}

function lines(node: TaskTree, lead: string, follow: string, marked: string | null, colors: Colors): string[] {
  const mark = node.id === marked ? "  ◀" : "";
  const attempts = node.attempt > 1 ? colors.dim(`, attempt ${node.attempt}`) : "";
  const head = `${stateSign(node, colors)} ${harmlessLine(node.persona)}  ${stateText(node, colors)}${attempts}`;
  const own = [`${colors.dim(lead)}${head}  ${colors.dim(node.id)}${mark}`];
  const below = node.children.length === 0 ? "  " : "│ ";
  if (node.why !== null) own.push(colors.dim(`${follow}${below}  ${harmlessLine(node.why)}`));
  return [
    ...own,
    ...node.children.flatMap((child, i) => {
      const last = i === node.children.length - 1;
      return lines(child, `${follow}${last ? "└─" : "├─"}`, `${follow}${last ? "  " : "│ "}`, marked, colors);
    }),
  ];
}
