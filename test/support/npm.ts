// npm as a user of the packages runs it.

// Without the variables that npm sets for the scripts of this project.
const own = Object.entries(process.env).filter(([name]) => !/^npm_|NODE_ENV/i.test(name));

/** The environment of npm, with the certificates of the system, because the registry can be behind a proxy. */
export const npmEnv = { ...Object.fromEntries(own), NODE_OPTIONS: "--use-system-ca" };
