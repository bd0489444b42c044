import { type Result, stop } from "#cli/outcome.ts";
import { RequestedCommit } from "#contract/git-names.ts";
import { succeed } from "#contract/lib/result.ts";

export const imageOption = {
  image: {
    kind: "text",
    short: "i",
    value: "IMAGE",
    help: "Image to deploy, if the repository has images: NAME:TAG, NAME@sha256:DIGEST or NAME:TAG@sha256:DIGEST",
  },
} as const;

/** What a deployment starts with. `name`: the name of the image, for a check against the project's repository. */
export type Ordered = {
  readonly branch: string | null;
  readonly commit: string | null;
  readonly name: string | null;
};

type Given = {
  readonly branch: string | null;
  readonly commit: string | null;
  readonly image: string | null;
};

/** The branch and the commit of a deployment, or the tag and the digest of its image. */
export function readOrdered({ branch, commit, image }: Given): Result<Ordered> {
  if (image === null) {
    const read = commit === null ? null : RequestedCommit.safeParse(commit);
    if (read?.success === false)
      return stop(
        "usage",
        "--commit must be 7 to 40 hexadecimal digits of a commit hash, or the digest of an image.",
      );
    return succeed({ branch, commit: read?.data ?? null, name: null });
  }
  if (branch !== null || commit !== null)
    return stop("usage", "Pass either --image or --branch and --commit: they are the tag and the digest.");
  // The colon of a port is before a slash.
  const [, name, tag, digest] =
    /^(?:docker:\/\/)?([^@\s]+?)(?::([\w][\w.-]{0,127}))?(?:@sha256:([0-9a-f]{64}))?$/.exec(image) ?? [];
  if (name === undefined || (tag === undefined && digest === undefined))
    return stop(
      "usage",
      "--image must be NAME:TAG, NAME@sha256:DIGEST or both, such as ghcr.io/acme/shop:v1.4.",
    );
  return succeed({ branch: tag ?? null, commit: digest ?? null, name });
}

/**
 * Why an image is not of a project's repository, or null. The name may be a part of the address: `shop` and `acme/shop` are in
 * `docker://ghcr.io/acme/shop`.
 */
export function wrongImage(name: string, repository: string): string | null {
  if (!repository.startsWith("docker://"))
    return `--image is for a project whose repository has images, and its repository is ${repository}.`;
  const place = repository.replace(/^docker:\/\/(?:[^@/]*@)?/, "");
  return place === name || place.endsWith(`/${name}`)
    ? null
    : `The project's repository is ${place}, and not ${name}. To change it: gantry projects set --repository docker://HOST/NAME.`;
}
