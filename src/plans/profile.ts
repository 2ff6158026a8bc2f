/**
 * What kind of work an assignment is. Only analysis may cross the trust border, in either direction: it reads, and says
 * what it found.
 */
export const PROFILE_KINDS = ["analysis", "build", "test"] as const;
export type ProfileKind = (typeof PROFILE_KINDS)[number];

/** How somebody is to work on a step: admitted with the assignment, so that a later change touches none that is there. */
export interface Profile {
  /** `nuncio/reviewer`, or the operator's own, such as `acme/auditor`. */
  name: string;
  kind: ProfileKind;
  /** Given with the instruction, to personas and to peers. */
  text: string;
}
