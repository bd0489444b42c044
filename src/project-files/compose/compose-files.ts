/** The names of a Compose file, in the order in which Compose looks for them. */
export const composeFiles: readonly string[] = [
  "compose.yaml",
  "compose.yml",
  "docker-compose.yml",
  "docker-compose.yaml",
];

/** Far more than such a file has. The parser takes a second for it on a slow machine. */
export const MAX_COMPOSE_BYTES = 64 * 1024;
