CREATE TABLE `project_servers` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`url` text,
	`serving_release` integer,
	`serving_checked_at` integer,
	`reported_processes` text,
	`ingress_problem` text,
	`health` text,
	`deploy_key` text
);
--> statement-breakpoint
CREATE INDEX `project_servers_project` ON `project_servers` (`project_id`);--> statement-breakpoint
CREATE INDEX `project_servers_server` ON `project_servers` (`account_id`,`server_id`);--> statement-breakpoint
ALTER TABLE `deployments` ADD `runs` text;--> statement-breakpoint
ALTER TABLE `servers` ADD `capabilities` text;