import { expect, it } from "vitest";

import { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";
import { defaultName } from "#domain/outlet/shown-target.ts";

const slack = (end: string) =>
  WebhookSettings.parse({
    kind: "slack",
    url: `https://hooks.slack.com/services/T0/B0/${end}`,
    only_recoveries: false,
  });
const standard = (url: string) => WebhookSettings.parse({ kind: "standard", url, headers: {} });

it("names webhooks to one host differently, without what is secret", () => {
  const names = [
    slack("aaaaaaaa1111"),
    slack("aaaaaaaa2222"),
    standard("https://hooks.test:8443/deploys?key=s3cret"),
    standard("https://hooks.test/failures/"),
    standard("https://hooks.test/"),
  ].map(defaultName);
  expect(names).toEqual([
    "hooks.slack.com/…1111",
    "hooks.slack.com/…2222",
    "hooks.test:8443/deploys",
    "hooks.test/failures",
    "hooks.test",
  ]);
});
