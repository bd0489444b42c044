import { expect, it } from "vitest";

import { repositoryKey } from "#contract/forge.ts";
import { expectedName, isAboutRepository, readDelivery } from "#domain/pushes/read-delivery.ts";
import distributionPush from "../../support/deliveries/distribution-push.json" with { type: "json" };
import harborPush from "../../support/deliveries/harbor-push.json" with { type: "json" };

const read = (body: unknown) => readDelivery("registry", "", body);
const [event] = distributionPush.events;
const image = (hash: string, pusher: string | null, tag = "v1") => ({
  repository: "acme/shop",
  push: {
    ref: `refs/heads/${tag}`,
    before: null,
    after: hash,
    message: `acme/shop:${tag}`,
    pusher,
    paths: null,
  },
});
const DISTRIBUTION_HASH = "fea8895f450959fa676bcc1df0611ea93823a735a01205fd8622846041d0c7cf";
const HARBOR_HASH = "8a9e9863dbb6e10edb5adfe917c00da84e1700fa76e7ed02476aa6e6fb8ee0d8";

/** An envelope with one event, whose target has these changes. */
const distribution = (target: Record<string, unknown>, action = "push") => ({
  events: [{ ...event, action, target: { ...event?.target, ...target } }],
});

it("reads the tag that was pushed to a registry with Distribution", () => {
  expect(read(distributionPush)).toEqual({ kind: "images", images: [image(DISTRIBUTION_HASH, "ada")] });
  const anonymous = { events: [{ ...event, actor: {} }] };
  expect(read(anonymous)).toEqual({ kind: "images", images: [image(DISTRIBUTION_HASH, null)] });
});

it.each([
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
])("reads an image of the type %s", (mediaType) => {
  expect(read(distribution({ mediaType }))).toMatchObject({ kind: "images" });
});

it.each([
  ["a layer", distribution({ mediaType: "application/octet-stream", tag: undefined })],
  ["a layer with a tag", distribution({ mediaType: "application/vnd.oci.image.config.v1+json" })],
  ["a manifest without a tag", distribution({ tag: undefined })],
  ["a pull", distribution({}, "pull")],
  ["a deleted image", { events: [{ action: "delete", target: { digest: "sha256:00", repository: "a" } }] }],
  ["a digest of another kind", distribution({ digest: `sha512:${"0".repeat(128)}` })],
  ["a tag that no registry has", distribution({ tag: "../main" })],
  ["no event", { events: [] }],
  ["another event of Harbor", { ...harborPush, type: "SCANNING_COMPLETED" }],
])("finds no push in %s", (_what, body) => {
  expect(read(body)).toEqual({ kind: "other" });
});

it("takes the image out of an envelope with its layers, and with images of other repositories", () => {
  const layer = distribution({ mediaType: "application/octet-stream", tag: undefined }).events;
  const other = distribution({ repository: "acme/api" }).events;
  expect(read({ events: [...layer, ...distributionPush.events, ...other] })).toMatchObject({
    images: [{ repository: "acme/shop" }, { repository: "acme/api" }],
  });
});

it("reads the tag that was pushed to Harbor, in both of its formats", () => {
  const expected = { kind: "images", images: [image(HARBOR_HASH, "admin")] };
  expect(read(harborPush)).toEqual(expected);
  const cloudEvent = {
    specversion: "1.0",
    id: "66e18103-09c1-41f6-982f-37df223f3eeb",
    source: "/projects/2/webhook/policies/15",
    type: "harbor.artifact.pushed",
    datacontenttype: "application/json",
    data: harborPush.event_data,
    operator: "admin",
  };
  expect(read(cloudEvent)).toEqual(expected);
});

it("finds no push in an image of Harbor without a tag, which has its digest there", () => {
  const [resource] = harborPush.event_data.resources;
  const resources = [{ ...resource, tag: resource?.digest }];
  expect(read({ ...harborPush, event_data: { ...harborPush.event_data, resources } })).toEqual({
    kind: "other",
  });
});

it.each([
  [null, null],
  ["text", null],
  [{ events: "none" }, "events"],
  [{ events: [{ action: "push" }] }, "events.0.target"],
  [{ type: "PUSH_ARTIFACT" }, "event_data"],
  [{ type: "harbor.artifact.pushed", data: {} }, "data.resources"],
  [{ push_data: { tag: "latest" } }, "type"],
])("names the field that is wrong in %j", (body, field) => {
  expect(read(body)).toEqual({ kind: "malformed", field });
});

it.each([
  ["docker://images.internal:5000/acme/shop", "acme/shop", true],
  ["docker://ada@images.internal/acme/shop", "acme/shop", true],
  ["docker://images.internal/acme/shop", "shop", false],
  ["docker://images.internal/acme/shop", "Acme/shop", false],
  ["docker://images.internal/acme/shop", "team/acme/shop", false],
])("compares the hook's repository %s with a registry's %s", (repository, name, expected) => {
  const key = repositoryKey(repository);
  expect(isAboutRepository(key, name)).toBe(expected);
  if (expected) expect(expectedName("registry", key)).toBe(name);
});

it.each([
  ["docker://docker.io/node", "docker://index.docker.io/library/node"],
  ["docker://images.internal:443/acme/shop", "docker://ada:secret@images.internal/acme/shop"],
])("takes %s and %s as one repository", (one, other) => {
  expect(repositoryKey(one)).toBe(repositoryKey(other));
});
