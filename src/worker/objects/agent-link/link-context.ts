import type { DeliveryQueue } from "#worker/objects/agent-link/delivery-queue.ts";
import type { LinkDeliveries } from "#worker/objects/agent-link/link-deliveries.ts";
import type { LinkSockets } from "#worker/objects/agent-link/link-sockets.ts";
import type { LinkedServer } from "#worker/objects/agent-link/linked-server.ts";
import type { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";
import type { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";

/** What the parts of an AgentLink share: its stored state, its sockets, its deliveries and its alarm. */
export type LinkContext = {
  readonly env: Env;
  readonly server: LinkedServer;
  readonly presence: PresenceRecord;
  readonly queue: DeliveryQueue;
  readonly sockets: LinkSockets;
  readonly deliveries: LinkDeliveries;
  readonly alarm: ObjectAlarm;
};
