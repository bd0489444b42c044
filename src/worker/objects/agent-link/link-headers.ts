/** Headers in which the Worker names the agent of an upgrade request to an AgentLink. Values from the client are overwritten. */
export const linkHeaders = {
  accountId: "x-gantry-account-id",
  credentialHash: "x-gantry-credential-hash",
} as const;
