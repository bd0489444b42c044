import { profileEndpoints } from "#contract/endpoints/profile/endpoints.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { POLL_MS, resources } from "#dashboard/data/resource.ts";

export const profileApi = clientOf(profileEndpoints);

/** The person who is signed in. */
export const useProfile = resources(() => profileApi.getProfile(), POLL_MS, "member passkey identity");

/** Their sessions and personal tokens. */
export const useOwnTokens = resources(() => profileApi.listOwnTokens(), POLL_MS, "token");
