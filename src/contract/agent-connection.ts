import * as z from "zod/mini";

import { WebAddress } from "#contract/addresses/web-address.ts";
import { ServerId } from "#contract/ids.ts";

/** The file in the agent's home that `gantry-agent enroll` writes. `npm start` reads it. */
export const CONNECTION_FILE = "agent.json";

/** The control plane that an agent is enrolled with, and the agent's credential. */
export const AgentConnection = z.strictObject({
  url: WebAddress,
  server_id: ServerId,
  credential: z.string().check(z.minLength(1)),
});
export type AgentConnection = z.infer<typeof AgentConnection>;
