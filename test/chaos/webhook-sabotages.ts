import type { ReceiverAnswer } from "../support/receivers/webhook-receiver.ts";
import { pauseIn } from "./chaos.ts";
import type { Sabotage } from "./sabotage.ts";

const failures: readonly ReceiverAnswer[] = [
  { status: 500, body: "broken" },
  { status: 503, headers: { "retry-after": "1" } },
  { status: 302, headers: { location: "elsewhere" } },
  { instead: "reset" },
  { instead: "hang" },
  { instead: "drip" },
];

/** What the receiver of the webhook and the connection to it do. */
export const webhookSabotages: readonly Sabotage[] = [
  {
    name: "a webhook's receiver fails, hangs, drips or redirects",
    weight: 5,
    async act(chaos, chance) {
      const { receiver } = chaos.installation;
      const answerWith = (answer: ReceiverAnswer) =>
        fetch(`${receiver.url}/control/all`, { method: "PUT", body: JSON.stringify([answer]) });
      await answerWith(chance.pick(failures));
      await pauseIn(chaos, chance.integer(500, 6_000));
      await answerWith({});
      receiver.cut();
    },
  },
];
