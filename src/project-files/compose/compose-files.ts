/** The names of a Compose file, in the order in which Compose looks for them. */
export const composeFiles: readonly string[] = [
  "compose.yaml",
  "compose.yml",
  "docker-compose.yml",
  "docker-compose.yaml",
];

/** The names of a file that Compose merges into it, which is most often for development. */
export const overrideFiles: readonly string[] = [
  "compose.override.yaml",
  "compose.override.yml",
  "docker-compose.override.yml",
  "docker-compose.override.yaml",
];

/** Far more than such a file has. The parser takes a second for it on a slow machine. */
export const MAX_COMPOSE_BYTES = 64 * 1024;
