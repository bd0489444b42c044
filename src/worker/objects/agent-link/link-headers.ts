/** How the Worker tells an AgentLink whose upgrade request it passes on; what a client sent under these names is overwritten. */
export const linkHeaders = {
  accountId: "x-gantry-account-id",
  credentialHash: "x-gantry-credential-hash",
} as const;
