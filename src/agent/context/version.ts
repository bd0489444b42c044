/** What the agent says of itself at enrolment and in its greeting. Kept equal to package.json by a test. */
export const AGENT_VERSION = "0.1.0";
