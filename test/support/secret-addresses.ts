import fc from "fast-check";

type Secret = { readonly text: string; readonly parts: readonly string[] };

const letters = "abcdefghijkmnpqrstuvwxyz";
const piece = fc
  .array(fc.constantFrom(...`${letters}${letters.toUpperCase()}23456789`.split("")), {
    minLength: 6,
    maxLength: 12,
  })
  .map((all) => all.join(""));
const digits = fc.integer({ min: 100_000, max: 999_999 }).map(String);
/** A port for a parser, when the text after it is cut off. */
const port = fc.integer({ min: 1, max: 65_535 }).map(String);
const special = fc.constantFrom(
  ...["/", "@", "?", "#", ":", "%", "/@", "@/", "//", "[", "]", "\\", "&", "=", "+", ",", ";", "!", "$"],
  ...[
    "(",
    ")",
    "*",
    "^",
    "{",
    "|",
    "~",
    "<",
    "'",
    '"',
    "`",
    " ",
    "\t",
    "%2F",
    "%40",
    "%zz",
    "%00",
    "ü",
    "密",
    "\u200b",
  ],
);

/** A secret, and the parts of it that must be nowhere. */
const secret = fc
  .tuple(fc.oneof(piece, digits, port), fc.array(fc.tuple(special, piece), { maxLength: 3 }))
  .map(([first, rest]) => ({
    text: first + rest.flat().join(""),
    parts: [...(first.length > 5 ? [first] : []), ...rest.map(([, part]) => part)],
  }));
const knownToken = fc
  .tuple(fc.constantFrom("ghp_", "github_pat_", "glpat-", "gldt-", "ATBB"), piece, piece)
  .map(([prefix, one, two]) => ({ text: prefix + one + two, parts: [one, two] }));
const randomToken = fc
  .tuple(fc.constantFrom("", "-", "+", "/", "=", "%2F"), piece, piece, piece)
  .map(([joint, ...all]) => ({ text: all.join(joint), parts: all }));
const webScheme = fc.constantFrom(
  "https://",
  "https://",
  "HTTPS://",
  "Https://",
  "http://",
  "git+https://",
  "git://",
  "//",
);
const sshScheme = fc.constantFrom("ssh://", "SSH://", "git+ssh://");
const user = fc.constantFrom(
  "bob",
  "git",
  "",
  "oauth2",
  "x-access-token",
  "bob%40example.com",
  "bob@example.com",
);
const host = fc.constantFrom(
  "git.test",
  "github.com",
  "gitlab.com",
  "host",
  "localhost",
  "10.0.0.1",
  "[::1]",
  "bücher.test",
  "GIT.test",
);
const end = fc.constantFrom("", ":8443", ":22", ":443");
const path = fc.constantFrom(
  "/shop.git",
  "/shop.git",
  "/team/shop",
  "/team/shop",
  "/team/shop/",
  "/team/shop/tree/main",
  "/~me/shop",
  "/@me/shop",
  "/a@b/c",
);
const suffix = fc.constantFrom("", "", "", "", "", "#main", "?ref=main", "/");
const around = fc.constantFrom(
  ...Array.from({ length: 20 }, () => "%"),
  ...[" %", "%\n", "git clone %", "<%>", '"%"', "'%'", "`%`", "(%)", "[shop](%)", "https://%"],
);

const withPassword = fc
  .tuple(user, secret)
  .map(([name, { text, parts }]): Secret => ({ text: `${name}:${text}@`, parts }));
const withToken = (token: fc.Arbitrary<Secret>) =>
  fc
    .tuple(token, fc.constantFrom("", ":", ":x", ":x-oauth-basic", ":oauth2", ":none"))
    .map(([{ text, parts }, rest]): Secret => ({ text: `${text}${rest}@`, parts }));
/** A long name for ssh can be an ordinary one, so only what must be a token is generated. */
const url = (begin: fc.Arbitrary<string>, login: fc.Arbitrary<Secret>) =>
  fc
    .tuple(begin, login, host, end, path, suffix)
    .map(([first, { text, parts }, ...rest]) => ({ text: first + text + rest.join(""), parts }));
/**
 * Addresses with a secret, as people write them, and the parts of the secret. Each part is text that occurs nowhere else in
 * an address.
 */
export const secretAddress: fc.Arbitrary<Secret> = fc
  .oneof(
    {
      arbitrary: url(webScheme, fc.oneof(withPassword, withToken(fc.oneof(knownToken, randomToken)))),
      weight: 5,
    },
    { arbitrary: url(sshScheme, fc.oneof(withPassword, withToken(knownToken))), weight: 2 },
    {
      arbitrary: fc
        .tuple(
          fc.oneof(withPassword, withToken(knownToken)),
          host,
          fc.constantFrom(":team/shop.git", ":2222/team/shop", "/team/shop", ":~/shop"),
        )
        .map(([{ text, parts }, ...rest]) => ({ text: text + rest.join(""), parts })),
      weight: 2,
    },
    {
      arbitrary: fc
        .tuple(
          fc.constantFrom(
            "https://git.test/shop",
            "ssh://git@git.test/shop",
            "git@git.test:shop",
            "git.test/shop",
            "https://github.com/team/shop/tree/main",
          ),
          fc.constantFrom("?access_token=", "?private_token=", "#access_token=", "?ref=main&token=", "?"),
          secret,
        )
        .map(([begin, name, { text, parts }]) => ({ text: begin + name + text, parts })),
      weight: 1,
    },
  )
  .chain(({ text, parts }) => around.map((form) => ({ text: form.replace("%", () => text), parts })));
