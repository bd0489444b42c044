import type { LinkContext } from "#worker/objects/agent-link/link-context.ts";

/** How often the alarm checks a connected link. An agent pings every 15 s. */
const CHECK_MS = 2 * 60_000;
/** When the alarm checks a server that may be deleted. */
const REMOVAL_CHECK_MS = 60_000;

/** Runs the link's deliveries, and keeps an alarm set for as long as there is work. */
export class LinkWork {
  readonly #link: LinkContext;

  constructor(link: LinkContext) {
    this.#link = link;
  }

  /** Runs all deliveries. Sets the alarm first, so that it fires if the object dies during the deliveries. */
  async run(): Promise<void> {
    const armed = this.armAlarm();
    await this.#link.deliveries.run();
    await armed;
    await this.armAlarm();
  }

  /**
   * Records that the agent has disconnected, unless a socket is still ready.
   * @param endedAt when the last socket closed, in Unix milliseconds; null: unknown
   */
  async recordDisconnect(endedAt: number | null): Promise<void> {
    const { sockets, presence } = this.#link;
    if (sockets.isAnyReady() || !presence.isConnected()) return;
    presence.disconnected(endedAt);
    await this.run();
  }

  /** Sets the alarm for the next check or retry, or removes it if no work is left. */
  async armAlarm(): Promise<void> {
    const { deliveries, presence, sockets, server, alarm } = this.#link;
    const { retries } = deliveries;
    const isLinked = presence.isConnected() || sockets.all().length > 0;
    const isPending = deliveries.isPending() || retries.failures > 0;
    const inMs = Math.min(
      isLinked ? CHECK_MS : Infinity,
      server.isRemovalExpected() ? REMOVAL_CHECK_MS : Infinity,
      isPending ? retries.delayMs : Infinity,
    );
    const now = Date.now();
    if (inMs === Infinity) await alarm.setExactly(null);
    else if (inMs === CHECK_MS) await alarm.setAbout(now + inMs, now);
    else await alarm.setExactly(now + inMs);
  }
}
