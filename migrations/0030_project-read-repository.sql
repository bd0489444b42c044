ALTER TABLE `projects` ADD `read_repository` text;--> statement-breakpoint
CREATE INDEX `pushes_unread` ON `pushes` (`project_id`,`id`) WHERE "pushes"."reason" = 'repository_unread';