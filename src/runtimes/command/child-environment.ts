/**
 * What a program gets of the daemon's environment: enough to find itself, its files and its language. Keys of
 * providers, tokens and whatever else the daemon was started with stay with the daemon.
 */
const PASSED_ON = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TMPDIR",
  "TZ",
  "TERM",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
];

/** Marks the processes of one attempt, so that those which have left its process tree are found as well. */
export const MARKER_VARIABLE = "NUNCIO_COMMAND_RUN";

export function childEnvironment(
  daemon: NodeJS.ProcessEnv,
  configured: Readonly<Record<string, string>>,
  marker: string,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = daemon[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...configured, [MARKER_VARIABLE]: marker };
}
