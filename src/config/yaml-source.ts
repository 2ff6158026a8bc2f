import { Composer, type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, Parser } from "yaml";
import type { ConfigPath, ConfigProblem } from "./config-error.js";
import { formatPath } from "./config-error.js";
import { mask, substitute, unmask } from "./variables.js";
import { nestsDeeperThan } from "./yaml-depth.js";
import { explainSyntax } from "./yaml-syntax.js";

const MAX_DEPTH = 64;
/** With aliases expanded: a few anchors can stand for millions of values. */
const MAX_VALUES = 100_000;

interface Place {
  key: number;
  value: number;
  /** What stands in the file where a variable was put in. */
  written?: string;
  /** A number as it stands in the file: 1.0 and 1 are the same number, but not the same version. */
  digits?: string;
  /** An unquoted `${NAME}` and nothing else: what comes in may be meant as a number. */
  wholeVariable?: boolean;
}

/** A parsed file that knows where each of its values stands. */
export class YamlSource {
  readonly data: unknown;
  readonly problems: ConfigProblem[] = [];
  readonly #file: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #wanted: (path: ConfigPath) => boolean;
  readonly #lines = new LineCounter();
  readonly #places = new Map<string, Place>();
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #values = 0;

  /** @param wanted where variables are put in; elsewhere it is no fault when one is not set */
  constructor(text: string, file: string, env: NodeJS.ProcessEnv, wanted: (path: ConfigPath) => boolean = () => true) {
    this.#file = file;
    this.#env = env;
    this.#wanted = wanted;
    const document = this.#parse(mask(text));
    this.data = document?.contents == null ? undefined : this.#read(document.contents, []);
  }

  /** Where a value stands, or its nearest surroundings when it is absent. */
  problem(path: ConfigPath, message: string, at: "key" | "value" = "value"): ConfigProblem {
    let offset = 0;
    for (let length = path.length; length >= 0; length--) {
      const place = this.#places.get(placeKey(path.slice(0, length)));
      if (place === undefined) continue;
      offset = length === path.length ? place[at] : place.value;
      break;
    }
    return this.#problemAt(offset, formatPath(path), message);
  }

  has(path: ConfigPath): boolean {
    return this.#places.has(placeKey(path));
  }

  written(path: ConfigPath): string | undefined {
    return this.#places.get(placeKey(path))?.written;
  }

  digits(path: ConfigPath): string | undefined {
    return this.#places.get(placeKey(path))?.digits;
  }

  isWholeVariable(path: ConfigPath): boolean {
    return this.#places.get(placeKey(path))?.wholeVariable === true;
  }

  #problemAt(offset: number, path: string, message: string): ConfigProblem {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line: Math.max(1, line), column: Math.max(1, col), path, message };
  }

  #parse(masked: string): Document.Parsed | undefined {
    const tokens = [...new Parser(this.#lines.addNewLine).parse(masked)];
    if (nestsDeeperThan(tokens, MAX_DEPTH)) {
      this.problems.push(this.#problemAt(0, "", `the file nests deeper than ${MAX_DEPTH} levels; flatten it`));
      return undefined;
    }
    // Unique keys are checked while reading: the parser's own check takes a minute for a file full of keys.
    const composer = new Composer({ prettyErrors: false, uniqueKeys: false, version: "1.2" });
    const [document, second] = [...composer.compose(tokens, true, masked.length)];
    const fault = [...(document?.errors ?? []), ...(document?.warnings ?? [])].sort((a, b) => a.pos[0] - b.pos[0])[0];
    if (fault !== undefined) {
      this.problems.push(this.#problemAt(fault.pos[0], "", explainSyntax(fault.code)));
      return undefined;
    }
    if (second !== undefined) {
      const message = "a second document begins here; put everything into one, without a line ---";
      this.problems.push(this.#problemAt(second.range[0], "", message));
      return undefined;
    }
    return document as Document.Parsed;
  }

  #read(node: Node, path: ConfigPath, keyOffset?: number): unknown {
    const offset = node.range?.[0] ?? keyOffset ?? 0;
    const place: Place = { key: keyOffset ?? offset, value: offset };
    this.#places.set(placeKey(path), place);
    if (++this.#values > MAX_VALUES) {
      if (this.#values === MAX_VALUES + 1) {
        this.#refuse(
          offset,
          path,
          `the file has more than ${MAX_VALUES} values, aliases counted each time; shorten it`,
        );
      }
      return undefined;
    }
    if (isAlias(node)) return this.#readAlias(node.source, offset, path, place.key);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    this.#open.add(node);
    try {
      if (isMap(node)) return this.#readMap(node.items, path);
      if (isSeq(node)) return node.items.map((item, index) => this.#read(item as Node, [...path, index]));
      if (isScalar(node)) {
        if (typeof node.value === "number" && node.source !== undefined) place.digits = node.source;
        return this.#readScalar(node.value, node.type === "PLAIN", path, place);
      }
      return undefined;
    } finally {
      this.#open.delete(node);
    }
  }

  #readAlias(name: string, offset: number, path: ConfigPath, keyOffset: number): unknown {
    const target = this.#anchors.get(name);
    if (target === undefined) return this.#refuse(offset, path, `*${name} names no anchor; write &${name} before it`);
    if (this.#open.has(target)) return this.#refuse(offset, path, `*${name} would contain itself; write the value out`);
    return this.#read(target, path, keyOffset);
  }

  #readMap(pairs: readonly { key: unknown; value: unknown }[], path: ConfigPath): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const lines = new Map<string, number>();
    for (const pair of pairs) {
      const keyNode = pair.key as Node;
      const offset = keyNode.range?.[0] ?? 0;
      if (!isScalar(keyNode) || keyNode.value === null) {
        this.#refuse(offset, path, "a key is not plain text; put quotes around text that begins with {{ or [");
        continue;
      }
      const key = unmask(String(keyNode.value));
      const earlier = lines.get(key);
      if (earlier !== undefined) {
        this.#refuse(offset, [...path, key], `is given twice, first on line ${earlier}; keep one of them`);
        continue;
      }
      if (key === "__proto__") {
        this.#refuse(offset, [...path, key], "is not allowed as a key; use another name");
        continue;
      }
      lines.set(key, this.#lines.linePos(offset).line);
      const valueNode = pair.value as Node | null;
      if (valueNode === null) {
        this.#places.set(placeKey([...path, key]), { key: offset, value: offset });
        result[key] = null;
      } else {
        result[key] = this.#read(valueNode, [...path, key], offset);
      }
    }
    return result;
  }

  #readScalar(value: unknown, plain: boolean, path: ConfigPath, place: Place): unknown {
    if (typeof value !== "string") return value;
    if (!this.#wanted(path)) return unmask(value);
    const { value: text, written, whole, problem } = substitute(value, this.#env);
    if (written !== undefined) place.written = written;
    if (whole && plain) place.wholeVariable = true;
    if (problem !== undefined) this.#refuse(place.value, path, problem);
    return text;
  }

  #refuse(offset: number, path: ConfigPath, message: string): undefined {
    this.problems.push(this.#problemAt(offset, formatPath(path), message));
    return undefined;
  }
}

const placeKey = (path: ConfigPath): string => JSON.stringify(path);
