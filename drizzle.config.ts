import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/worker/db/{schema,variable-tables,command-table,event-tables,push-tables}.ts",
  out: "./migrations",
});
