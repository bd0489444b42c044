import type { OutletContext } from "#worker/objects/outlet/outlet-context.ts";
import { OutletSender } from "#worker/objects/outlet/outlet-sender.ts";
import { reconcile } from "#worker/objects/outlet/reconcile.ts";
import { ObjectAlarm } from "#worker/objects/shared/object-alarm.ts";
import { RetryTracker } from "#worker/objects/shared/retry-tracker.ts";

/**
 * How long after an object began to send its alarm fires. If the object has died by then, the alarm sends the saved
 * deliveries. While many events come, this is also the pause between two writes of the alarm.
 */
const WAKE_AGAIN_MS = 30_000;

const SEND = "send";

/**
 * When an Outlet sends, and when it compares itself with D1. Deliveries are sent in the turn in which they were saved.
 * The alarm sends deliveries that are due later, or whose object has died, and there is always one, because D1 is asked
 * every day.
 */
export class OutletWork {
  readonly sender: OutletSender;
  readonly #object: DurableObjectState;
  readonly #context: OutletContext;
  readonly #alarm: ObjectAlarm;
  readonly #retries: RetryTracker;

  constructor(object: DurableObjectState, context: OutletContext) {
    this.#object = object;
    this.#context = context;
    // The alarm is set at once, because other deliveries of the run may hang.
    this.sender = new OutletSender(context, () => object.waitUntil(this.arm()));
    this.#alarm = new ObjectAlarm(object.storage);
    this.#retries = new RetryTracker("outlet", () => ({ webhook_id: context.record.target()?.webhookId }));
  }

  /** Begins to send the due deliveries. Call it in the turn in which deliveries were saved. */
  async sendSoon(): Promise<void> {
    // If the object dies, the alarm that was set when the run began sends the saved deliveries.
    if (this.sender.isRunning) return this.sender.wake();
    if (!this.sender.isDue || this.#retries.hasFailed(SEND)) return await this.arm();
    // No request leaves before the alarm is stored.
    const isArmed = this.#alarm.setBy(this.#nextAt(true));
    this.#object.waitUntil(this.#sendAndArm());
    await isArmed;
  }

  /** Sets the alarm for what comes next, unless it is set earlier. */
  async arm(): Promise<void> {
    await this.#alarm.setBy(this.#nextAt(this.sender.isRunning));
  }

  async runAlarm(): Promise<void> {
    this.#alarm.noteFired();
    const isSending = this.sender.isRunning || this.sender.isDue;
    // Set before any work, so that the object wakes up again if it dies during it.
    if (isSending || this.#isCompareDue()) await this.#alarm.setBy(this.#nextAt(true));
    if (isSending) await this.#send();
    if (this.#isCompareDue()) {
      this.#trim();
      await this.#reconcile();
    }
    await this.#alarm.setExactly(this.#nextAt(this.sender.isRunning));
  }

  /** Compares with D1 now. */
  async compare(): Promise<void> {
    await this.#reconcile();
    await this.arm();
  }

  async #sendAndArm(): Promise<void> {
    await this.#send();
    await this.arm();
  }

  async #send(): Promise<void> {
    await this.#retries.run(SEND, () => this.sender.run());
  }

  async #reconcile(): Promise<void> {
    await this.#retries.run("compare with D1", async () => {
      if ((await reconcile(this.#context)) === "gone") await this.#remove();
    });
  }

  async #remove(): Promise<void> {
    // This also deletes the alarm, in one step.
    await this.#object.storage.deleteAll();
    this.#context.record.forgetCache();
    this.#alarm.noteFired();
  }

  /** At least once a day, because the counter of `trimAfter` starts again with each new object in memory. */
  #trim(): void {
    const { deliveries, memory, now } = this.#context;
    deliveries.trim(now());
    memory.trim(now());
  }

  #isCompareDue(): boolean {
    const { record, now } = this.#context;
    if (record.target() === null) return false;
    const { revision, written, checkAt } = record.state();
    return revision > written || checkAt <= now();
  }

  /**
   * When the next work is due, in Unix milliseconds; null: the object belongs to no webhook. @param isSending whether
   * the due deliveries are being sent, so that only later ones need the alarm
   */
  #nextAt(isSending: boolean): number | null {
    const { record, now } = this.#context;
    if (record.target() === null) return null;
    const { revision, written, checkAt } = record.state();
    const at = now();
    const { failures, delayMs } = this.#retries;
    const wakeAt = isSending ? at + WAKE_AGAIN_MS : Infinity;
    const sendAt = this.sender.nextAt(isSending ? at : 0) ?? Infinity;
    // By then a request has usually written its change to D1, and nothing is left to write.
    const compareAt = revision > written ? at + delayMs : checkAt;
    const earliest = failures === 0 ? 0 : at + delayMs;
    return Math.max(Math.min(wakeAt, sendAt, compareAt), earliest);
  }
}
