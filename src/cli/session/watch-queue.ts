import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Session } from "#cli/session/session.ts";
import { describeWaiting } from "#cli/session/describe-waiting.ts";
import { isHeld } from "#cli/session/is-held.ts";

/** The reason is read after the first time in the queue, then at intervals of the second. */
const FIRST_MS = 2_000;
const NEXT_MS = 30_000;
/** How often while servers switch, which takes less time than a queue. */
const ROLLOUT_MS = 5_000;

/** What a client does while it follows a deployment that waits. Prints nothing if the reason cannot be read. */
export class QueueWatch {
  readonly #session: Session;
  readonly #id: DeploymentId;
  readonly #onHeld: (deployment: Deployment) => void;
  #timer: NodeJS.Timeout | null;
  #printed = "";
  #everyMs = NEXT_MS;

  /** @param onHeld is called if a freeze or a missing approval holds the deployment, or one ahead of it */
  constructor(session: Session, id: DeploymentId, onHeld: (deployment: Deployment) => void) {
    this.#session = session;
    this.#id = id;
    this.#onHeld = onHeld;
    this.#timer = setTimeout(() => void this.#look(), FIRST_MS);
  }

  /** The deployment is no longer queued, or nobody follows it. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** The deployment goes to several servers: an approval can hold it later too. Its log says for which servers it waits. */
  resume(): void {
    this.#everyMs = ROLLOUT_MS;
    this.#timer ??= setTimeout(() => void this.#look(), FIRST_MS);
  }

  #isStopped(): boolean {
    return this.#timer === null;
  }

  async #look(): Promise<void> {
    const { client, output } = this.#session;
    const deployment = await client.getDeployment({ params: { deployment_id: this.#id } });
    if (this.#isStopped()) return;
    this.#timer = setTimeout(() => void this.#look(), this.#everyMs);
    if (!deployment.ok || deployment.value.waiting_on === null) return;
    const { version, waiting_on: waiting } = deployment.value;
    if (this.#everyMs === ROLLOUT_MS && waiting.type === "server") return;
    const text = await describeWaiting(this.#session, waiting);
    if (this.#isStopped()) return;
    if (text !== this.#printed) {
      output.json({ type: "queued", deployment_id: this.#id, waiting_on: waiting });
      output.note(`v${version} is waiting ${text}`);
      this.#printed = text;
    }
    if (isHeld(deployment.value)) this.#onHeld(deployment.value);
  }
}
