import type { DeploymentId, TokenId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import { ObjectFollower } from "#worker/following/object-follower.ts";
import { type LaneWord, laneWords } from "#worker/following/log/lane-news.ts";
import { linesOf, type StoredLine } from "#worker/logs/stored-lines.ts";

export type LaneNews =
  | { readonly kind: "lines"; readonly lines: readonly StoredLine[] }
  | { readonly kind: LaneWord };

/** A follower of a log. Its positions are line numbers. */
export type LaneFollower = ObjectFollower<LaneNews>;

/** @throws if the lane cannot be reached */
export async function followLane(
  lane: Pick<Fetcher, "fetch">,
  id: DeploymentId,
  tokenId: TokenId,
): Promise<Result<LaneFollower, "too_many_followers">> {
  return await ObjectFollower.connect(lane, `https://lane/${id}`, tokenId, newsOf);
}

function newsOf(data: string): LaneNews {
  const kind = Object.values(laneWords).find((word) => word === data);
  return kind === undefined ? { kind: "lines", lines: linesOf(data) } : { kind };
}
