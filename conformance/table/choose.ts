import type { Section } from "./case.js";

/** The cases whose section or title has all of these texts. */
export function choose(sections: readonly Section[], texts: readonly string[]): Section[] {
  return sections
    .map((section) => ({
      ...section,
      cases: section.cases.filter(({ title }) => {
        const name = `${section.number} ${section.title}: ${title}`.toLowerCase();
        return texts.every((text) => name.includes(text.toLowerCase()));
      }),
    }))
    .filter(({ cases }) => cases.length > 0);
}
