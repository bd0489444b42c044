ALTER TABLE `pushes` ADD `live_sha` text;--> statement-breakpoint
CREATE INDEX `pushes_skipped` ON `pushes` (`project_id`,`live_sha`,`after`) WHERE "pushes"."live_sha" is not null;