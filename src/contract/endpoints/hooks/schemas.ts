import * as z from "zod/mini";

import { textLike, wholeFrom } from "#contract/bounds.ts";
import { HookForge, PushReason, PushSource, Verdict } from "#contract/endpoints/hooks/push-decisions.ts";
import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { ProjectRepository } from "#contract/addresses/pasted-repository.ts";
import { DeploymentId, HookId, ProjectId, PushId } from "#contract/ids.ts";
import { NextCursor } from "#contract/paging.ts";
import { growing } from "#contract/growing.ts";

/** The most bytes of a delivery's body. */
export const MAX_DELIVERY_BYTES = 5 * 1024 * 1024;

/** What a forge signs its deliveries with. */
const HookSecret = textLike(/^[!-~]{16,200}$/, "must be 16 to 200 visible ASCII characters without spaces");

/** Docker Hub and GitHub's registry send nothing by which Gantry could know them. */
const UNCHECKED_IMAGES = /^docker:\/\/(?:[^@/]*@)?(?:docker\.io|ghcr\.io)\//;

const HookRepository = ProjectRepository.check(
  z.refine(
    (repository) => !UNCHECKED_IMAGES.test(repository),
    "is at a registry whose notifications cannot be checked: turn on `poll` of the project's `deploy_on`",
  ),
);

/** `secret`: a secret that the forge made. If it is missing, Gantry makes a secret. */
export const CreateHookInput = z
  .strictObject({
    forge: HookForge,
    repository: HookRepository,
    secret: z.optional(HookSecret),
  })
  .check(
    z.refine(({ forge, repository }) => (forge === "registry") === isImageRepository(repository), {
      path: ["forge"],
      message: "must be `registry` for a repository of images, and another one for a git repository",
    }),
  );
export type CreateHookInput = z.infer<typeof CreateHookInput>;

export const RotateHookInput = z.strictObject({ secret: z.optional(HookSecret) });
export type RotateHookInput = z.infer<typeof RotateHookInput>;

/**
 * The address to which a forge reports the pushes of a repository. `received_at`: the last authentic delivery.
 * `refused_at`: the last refused one; the hook is broken while it is the later of the two. `project_ids`: the projects
 * with this repository.
 */
export const Hook = z.strictObject({
  id: HookId,
  forge: growing(HookForge),
  repository: z.string(),
  url: z.string(),
  settings_url: z.nullable(z.string()),
  steps: z.array(z.string()),
  project_ids: z.array(ProjectId),
  created_at: z.string(),
  previous_expires_at: z.nullable(z.string()),
  received_at: z.nullable(z.string()),
  refused_at: z.nullable(z.string()),
  refused_reason: z.nullable(growing(PushReason)),
});
export type Hook = z.infer<typeof Hook>;

/** The response to creating and rotating a hook. The secret is not shown again. */
export const HookWithSecret = z.extend(Hook, { secret: z.string() });
export type HookWithSecret = z.infer<typeof HookWithSecret>;

export const HookRows = z.strictObject({ hooks: z.array(Hook), next_cursor: NextCursor });
export type HookRows = z.infer<typeof HookRows>;

/**
 * A row of the ledger: the decision about a push for one project. `project_id`: null: the push concerned no project.
 * `detail`: the reason as a sentence. `count`: how many deliveries the row stands for.
 */
export const Push = z.strictObject({
  id: PushId,
  hook_id: z.nullable(HookId),
  project_id: z.nullable(ProjectId),
  source: growing(PushSource),
  received_at: z.string(),
  event: z.nullable(z.string()),
  delivery_id: z.nullable(z.string()),
  ref: z.nullable(z.string()),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  headline: z.nullable(z.string()),
  pusher: z.nullable(z.string()),
  decision: growing(Verdict),
  reason: z.nullable(growing(PushReason)),
  detail: z.nullable(z.string()),
  deployment_id: z.nullable(DeploymentId),
  count: wholeFrom(1),
});
export type Push = z.infer<typeof Push>;

export const PushRows = z.strictObject({ pushes: z.array(Push), next_cursor: NextCursor });
export type PushRows = z.infer<typeof PushRows>;

/** The rows that a replay has added, one for each project. */
export const ReplayedPushes = z.strictObject({ pushes: z.array(Push) });
export type ReplayedPushes = z.infer<typeof ReplayedPushes>;

const about = { project: z.nullable(z.string()), ref: z.nullable(z.string()) };

/** A deployment that a delivery has started. */
export const PushedDeployment = z.strictObject({ ...about, id: DeploymentId, version: wholeFrom(1) });

/** A push that starts no deployment of a project. */
export const UnstartedPush = z.strictObject({ ...about, reason: growing(PushReason), detail: z.string() });

/**
 * The answer to an authentic delivery, which the forge shows to its users. `deployed` if at least one deployment was
 * started, `refused` if none was and one could not be. `project`: its name.
 */
export const DeliveryAnswer = z.strictObject({
  decision: growing(Verdict),
  detail: z.string(),
  deployments: z.array(PushedDeployment),
  ignored: z.array(UnstartedPush),
  refused: z.array(UnstartedPush),
});
export type DeliveryAnswer = z.infer<typeof DeliveryAnswer>;
