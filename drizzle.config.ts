import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/worker/db/{schema,variable-tables,command-table}.ts",
  out: "./migrations",
});
