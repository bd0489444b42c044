/** The agent's version, sent at enrolment and in `hello`. A test keeps it equal to package.json. */
export const AGENT_VERSION = "0.2.0";
