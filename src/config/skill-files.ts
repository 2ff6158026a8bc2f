import { join } from "node:path";
import { z } from "zod";
import type { Skill } from "../personas/skill.js";
import { readTextFile } from "../shared/text-file.js";
import type { ConfigPath, ConfigProblem } from "./config-error.js";
import { explainIssues } from "./explain.js";
import { list, text } from "./fields.js";
import type { Findings } from "./findings.js";
import { YamlSource } from "./yaml-source.js";

const MAX_BYTES = 256 * 1024;

type SkillFile = { skill: Skill } | { problem: string } | { problems: readonly ConfigProblem[] };

/**
 * The skills that stand beside the configuration, in the Agent Skills format: `skills/<name>/SKILL.md`, of which the
 * front matter says what everybody may know. The body is not looked at here. Each file is read once for all personas.
 */
export class SkillFiles {
  readonly #directory: string;
  readonly #read = new Map<string, Promise<SkillFile>>();

  /** @param directory of the configuration */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * A skill that a persona names. A name without a file is a warning; a file that cannot be read is refused, with the
   * place in it.
   *
   * @param path where it is named
   */
  async get(name: string, path: ConfigPath, findings: Findings): Promise<Skill> {
    const known = this.#read.get(name);
    const reading = known ?? readSkillFile(name, join(this.#directory, "skills", name, "SKILL.md"));
    if (known === undefined) this.#read.set(name, reading);
    const read = await reading;
    if ("skill" in read) return read.skill;
    if ("problems" in read) {
      // They are about the file, not about who names it.
      if (known === undefined) findings.problems.push(...read.problems);
    } else if (read.problem === "does not exist") {
      const message = `${name} is a name only: it is shown in cards and lists, but no skills/${name}/SKILL.md says what it is`;
      findings.warn(path, message);
    } else {
      findings.refuse(path, `skills/${name}/SKILL.md ${read.problem}; use a text file of at most 256 KiB`);
    }
    return { name, description: "", tags: [] };
  }
}

async function readSkillFile(name: string, file: string): Promise<SkillFile> {
  const read = await readTextFile(file, MAX_BYTES);
  return "problem" in read ? read : readFrontMatter(read.text, name, file);
}

const tag = () => text("a tag", 64);

const TAGS = "use a list of tags, or text with commas between them";

/** Other keys of the format (license, compatibility, …) are the business of others. */
const frontMatter = z.looseObject({
  name: text("the name of the folder", 64),
  description: text("what the skill does and when to use it", 1024),
  metadata: z
    .looseObject(
      { tags: z.union([list(tag(), 32), text("tags with commas between them", 1024)], { error: TAGS }).optional() },
      { error: "use a map" },
    )
    .optional(),
});

/** Variables are not put in: a skill may have come from elsewhere, and what it says goes to everybody. */
function readFrontMatter(content: string, name: string, file: string): SkillFile {
  const block = /^\ufeff?(---[ \t]*\r?\n[\s\S]*?)^---[ \t]*\r?$/m.exec(content);
  if (block === null || block.index !== 0) {
    const message = "has no front matter; begin it with ---, name: and description: on lines of their own, and ---";
    return { problems: [{ file, line: 1, column: 1, path: "", message }] };
  }
  const source = new YamlSource(block[1] as string, file, {}, () => false);
  if (source.problems.length > 0) return { problems: source.problems };
  const parsed = frontMatter.safeParse(source.data ?? {});
  if (!parsed.success) return { problems: explainIssues(parsed.error.issues, source) };
  const { description, metadata } = parsed.data;
  if (parsed.data.name !== name) {
    const message = `${JSON.stringify(parsed.data.name)} is not the name of the folder; use ${name}`;
    return { problems: [source.problem(["name"], message)] };
  }
  const tags = typeof metadata?.tags === "string" ? metadata.tags.split(",") : (metadata?.tags ?? []);
  return {
    skill: { name, description: description.trim(), tags: tags.map((one) => one.trim()).filter((one) => one !== "") },
  };
}
