ALTER TABLE `servers` ADD `address` text;--> statement-breakpoint
ALTER TABLE `servers` ADD `fleet` text;--> statement-breakpoint
ALTER TABLE `servers` ADD `fleet_set` text;--> statement-breakpoint
CREATE INDEX `projects_fronted` ON `projects` (`account_id`) WHERE "projects"."settings" ->> '$.entry.type' <> 'each';