import * as z from "zod/mini";

import { type Delivery, malformed, type PushedImage } from "#domain/pushes/delivery.ts";

// Sources: the documentation of the Distribution project, "Work with notifications"; Harbor's documentation, "Configure
// Webhook Notifications", with its own format and with CloudEvents.

const Name = z.nullish(z.string());

const DistributionBody = z.object({
  events: z.array(
    z.object({
      action: z.string(),
      target: z.object({ mediaType: Name, repository: Name, tag: Name, digest: Name }),
      actor: z.nullish(z.object({ name: Name })),
    }),
  ),
});

const HarborImages = z.object({
  resources: z.array(z.object({ tag: Name, digest: Name })),
  repository: z.object({ repo_full_name: z.string() }),
});
const HarborBody = z.object({ type: z.string(), operator: Name });
const HarborPush = z.object({ event_data: HarborImages });
const HarborCloudEvent = z.object({ data: HarborImages });

/** The types of manifests: of an image, and of an image for each processor. */
const MANIFEST = /^application\/vnd\.(?:docker\.distribution\.manifest|oci\.image\.(?:manifest|index))\./;
/** Source: the reference grammar of the Distribution project. */
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/;

/** Reads a delivery of a registry, which runs Distribution or Harbor. */
export function readRegistry(body: unknown): Delivery {
  if (typeof body === "object" && body !== null && "events" in body) return readDistribution(body);
  const parsed = HarborBody.safeParse(body);
  if (!parsed.success) return malformed(parsed.error);
  const { type, operator } = parsed.data;
  switch (type) {
    case "PUSH_ARTIFACT": {
      const push = HarborPush.safeParse(body);
      return push.success ? readHarbor(push.data.event_data, operator) : malformed(push.error);
    }
    case "harbor.artifact.pushed": {
      const push = HarborCloudEvent.safeParse(body);
      return push.success ? readHarbor(push.data.data, operator) : malformed(push.error);
    }
    default:
      return { kind: "other" };
  }
}

/** Each layer of a pushed image is an event, too. Only the event of the manifest has the tag. */
function readDistribution(body: unknown): Delivery {
  const parsed = DistributionBody.safeParse(body);
  if (!parsed.success) return malformed(parsed.error);
  return imagesOr(
    parsed.data.events.flatMap(({ action, target, actor }) =>
      action === "push" && MANIFEST.test(target.mediaType ?? "")
        ? imageOf({ ...target, pusher: actor?.name })
        : [],
    ),
  );
}

/** An image without a tag has its digest in the place of the tag. */
function readHarbor(
  { resources, repository: { repo_full_name: repository } }: z.infer<typeof HarborImages>,
  pusher: string | null | undefined,
): Delivery {
  return imagesOr(resources.flatMap((resource) => imageOf({ ...resource, repository, pusher })));
}

function imagesOr(images: readonly PushedImage[]): Delivery {
  return images.length === 0 ? { kind: "other" } : { kind: "images", images };
}

type Named = Readonly<Partial<Record<"repository" | "tag" | "digest" | "pusher", string | null | undefined>>>;

/** A tag is what a branch is in a repository of git: the agent looks up what it names when the deployment runs. */
function imageOf({ repository, tag, digest, pusher }: Named): PushedImage[] {
  const hash = DIGEST.exec(digest ?? "")?.[1];
  if (hash === undefined || !TAG.test(tag ?? "") || !repository) return [];
  const push = {
    ref: `refs/heads/${tag}`,
    before: null,
    after: hash,
    message: `${repository}:${tag}`,
    pusher: pusher || null,
    paths: null,
  };
  return [{ repository, push }];
}
