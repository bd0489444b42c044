CREATE TABLE `domains` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `domains_project` ON `domains` (`project_id`);--> statement-breakpoint
ALTER TABLE `projects` ADD `processes` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `drain_seconds` integer DEFAULT 30 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `aliases` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `reported_processes` text;--> statement-breakpoint
INSERT INTO `domains` (`id`, `account_id`, `project_id`) SELECT `domain`, `account_id`, `id` FROM `projects`;