import * as z from "zod";

import { WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";

import type { ReceiverAnswer } from "../../receivers/webhook-receiver.ts";
import { eventually } from "../eventually.ts";
import type { Moment, Scene } from "./point.ts";

/** Each of them once in a deployment. */
const EVENTS = ["deployment.started", "deployment.building", "deployment.live"];
/** How they are answered the first time, in this order. */
const RUDE: readonly ReceiverAnswer[] = [
  { instead: "hang" },
  { instead: "drip" },
  { status: 302, headers: { location: "elsewhere" } },
];
/** An attempt ends after 20 s, and the next one follows 5 s later. */
const AGAIN_MS = 60_000;

const Received = z.array(z.object({ headers: z.object({ "webhook-id": z.string() }), underWay: z.int() }));

/** The requests that were received at a path, the oldest first. */
async function receivedOf({ installation: { receiver } }: Scene, path: string) {
  return Received.parse(await (await fetch(`${receiver.url}/control/${path}`)).json());
}

async function idsReceived(scene: Scene): Promise<string[]> {
  return (await receivedOf(scene, scene.site.name)).map(({ headers }) => headers["webhook-id"]);
}

/** Creates a second webhook for the site. Its receiver hangs, drips and redirects, and then works. */
export async function addRudeReceiver({ installation: { api, receiver }, site }: Scene): Promise<void> {
  const { name, projectId } = site;
  const answers = JSON.stringify([...RUDE, {}]);
  await fetch(`${receiver.url}/control/${name}`, { method: "PUT", body: answers });
  const target = { kind: "standard", url: `${receiver.url}/hook/${name}` };
  const settings = { ...target, name, events: EVENTS, project_ids: [projectId] };
  WebhookWithSecret.parse((await api.call("POST", "/v1/webhooks", settings)).json);
}

/** The deployment is live while the receiver still hangs and drips. */
export const receiverIsRude: Moment = (scene) => ({
  reached: eventually("the receiver has got each event, and answered one", async () => {
    const requests = await receivedOf(scene, scene.site.name);
    return requests.length === RUDE.length && requests.at(-1)?.underWay === RUDE.length;
  }),
  go: async () => undefined,
});

/** Each event comes again with the same id, and the redirect was not followed. */
export async function everythingComesAgain(scene: Scene): Promise<void> {
  const first = (await idsReceived(scene)).slice(0, RUDE.length);
  const isAgain = async () => {
    const again = (await idsReceived(scene)).slice(RUDE.length);
    return first.every((id) => again.includes(id));
  };
  await eventually("the receiver has got each event again", isAgain, AGAIN_MS);
  const followed = await receivedOf(scene, "elsewhere");
  if (followed.length > 0) throw new Error("the redirect was followed");
}
