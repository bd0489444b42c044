import type { ChangeOutbox } from "#worker/objects/shared/change-outbox.ts";
import type { DeliveryQueue } from "#worker/objects/agent-link/delivery-queue.ts";
import type { DeployKeyQueue } from "#worker/objects/agent-link/deploy-key-queue.ts";
import type { FleetRecord } from "#worker/objects/agent-link/fleet-record.ts";
import type { FoundPushes } from "#worker/objects/agent-link/found-pushes.ts";
import type { HealthEvents } from "#worker/objects/agent-link/health-events.ts";
import type { LinkSockets } from "#worker/objects/agent-link/link-sockets.ts";
import type { LinkedServer } from "#worker/objects/agent-link/linked-server.ts";
import type { PresenceRecord } from "#worker/objects/agent-link/presence-record.ts";
import type { WatchRecord } from "#worker/objects/agent-link/watch-record.ts";

/** The stored state of an AgentLink, and its sockets. */
export type LinkParts = {
  readonly env: Env;
  readonly server: LinkedServer;
  readonly presence: PresenceRecord;
  readonly queue: DeliveryQueue;
  readonly keys: DeployKeyQueue;
  readonly watch: WatchRecord;
  readonly fleet: FleetRecord;
  readonly found: FoundPushes;
  readonly changes: ChangeOutbox;
  readonly health: HealthEvents;
  readonly sockets: LinkSockets;
};
