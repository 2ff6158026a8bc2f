import type { CliCommand } from "../../cli.js";
import { harmlessLine } from "../../harmless.js";
import { fieldsText } from "../../table.js";

export const command: CliCommand<{ tenant?: string }> = {
  describe(command) {
    command.option("--tenant <tenant>", "tenant of the persona (default: default)");
  },
  async run({ args: [name = ""], options, cli: { out, client } }) {
    const persona = await (await client()).persona(name, options.tenant);
    const { capabilities, offers } = persona;
    const offered = Object.entries(offers).flatMap(([feature, on]) => (on ? [feature] : []));
    out.result(persona, () =>
      fieldsText(
        [
          ["persona", persona.name],
          ["tenant", persona.tenant],
          ["description", listed([harmlessLine(persona.description)])],
          ["visibility", persona.visibility],
          ["runtime", persona.runtime],
          ["provider", persona.provider],
          ["model", persona.model],
          ["skills", listed(persona.skills)],
          ["may", listed(capabilities.allow)],
          ["asks for", capabilities.requireApproval.length === 0 ? null : listed(capabilities.requireApproval)],
          ["offers", listed(offered)],
          ["running", `${persona.running} of ${persona.maxConcurrent}`],
          ["a2a", persona.url],
        ],
        out.colors,
      ),
    );
    return undefined;
  },
};

const listed = (words: readonly string[]): string => words.filter((word) => word !== "").join(", ") || "–";
