CREATE TABLE `commands` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL,
	`command` text NOT NULL,
	`timeout_seconds` integer NOT NULL,
	`actor` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `commands_project` ON `commands` (`project_id`,`id`);