import { createHmac } from "node:crypto";

/** The commit of each delivered push. */
const SHA = "8e8412f0c3b1d57a94e2f6a8b0c7d1e5f3a29b64";

type Delivery = {
  /** Of the installation. */
  readonly origin: string;
  readonly hook: { readonly url: string; readonly secret: string };
  /** The pushed repository: its address, and its name on GitHub. */
  readonly repository: string;
  readonly name: string;
  readonly branch: string;
};

/** Delivers a push as GitHub does. @returns the status of the answer */
export async function deliverPush({ origin, hook, repository, name, branch }: Delivery): Promise<number> {
  const body = JSON.stringify({
    ...{ ref: `refs/heads/${branch}`, before: "5".repeat(40), after: SHA },
    ...{ created: false, deleted: false, forced: false, commits: [] },
    head_commit: { id: SHA, message: "Round prices in the basket" },
    pusher: { name: "ada" },
    repository: { full_name: name, clone_url: repository },
  });
  const signature = createHmac("sha256", hook.secret).update(body).digest("hex");
  const { pathname } = new URL(hook.url);
  const { status } = await fetch(origin + pathname, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", "x-github-event": "push" },
      ...{ "x-github-delivery": crypto.randomUUID(), "x-hub-signature-256": `sha256=${signature}` },
    },
    body,
  });
  return status;
}
