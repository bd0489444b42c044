ALTER TABLE `projects` ADD `maintenance` text;--> statement-breakpoint
CREATE INDEX `projects_maintenance` ON `projects` (`account_id`) WHERE "projects"."maintenance" is not null;