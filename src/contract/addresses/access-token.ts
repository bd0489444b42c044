/** How the tokens of GitHub, GitLab, Bitbucket and Atlassian begin. */
const PREFIXES = /^(?:gh[a-z]_|github_pat_|gl[a-z]{2,7}-|ATBB|ATCTT|ATATT)[\w-]{10,}/;

/**
 * Whether a user name must be an access token: it begins as one, is longer than a user name of Linux and has only letters,
 * digits and underscores, or mixes letters of both cases with digits as only random text does.
 */
export function looksLikeToken(user: string): boolean {
  return (
    PREFIXES.test(user) || /^\w{33,}$/.test(user) || /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)\w{20,}$/.test(user)
  );
}
