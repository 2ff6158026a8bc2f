/** What a persona says that it can do. */
export interface Skill {
  name: string;
  /** Empty where only the name is known. */
  description: string;
  tags: readonly string[];
}
