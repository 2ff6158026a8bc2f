import type { CliCommand } from "../../cli.js";
import { taskText } from "../../task-text.js";

export const command: CliCommand = {
  async run({ args: [id = ""], cli: { out, client } }) {
    const letter = await (await client()).deadLetter(id);
    out.result(letter, () => taskText(letter, out.colors));
    if (letter.retriedAs === null) out.next(`nuncio dlq retry ${id}`, "to do its work again");
    else out.note(`its work was taken up again by task ${letter.retriedAs}`);
    return undefined;
  },
};
