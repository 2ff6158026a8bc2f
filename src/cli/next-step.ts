/** How a command that has done its part says what comes next. */
export const nextStep = (command: string, purpose: string): string => `next: \`${command}\` ${purpose}`;
