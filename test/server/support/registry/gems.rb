# Makes a gem server's files from unpacked Debian packages: gems.rb PACKAGES SITE
require "fileutils"
require "rubygems/package"
require "rubygems/indexer"

packages, site = ARGV
FileUtils.mkdir_p("#{site}/gems")

# Where Debian puts a gem: a folder of its own, or the folders of Ruby's own files.
def copy_gem(spec, root, draft)
  own = Dir.glob("#{root}/{usr/share,usr/lib/*}/rubygems-integration/*/gems/#{spec.full_name}").first
  own ||= Dir.glob("/usr/lib/ruby/gems/*/gems/#{spec.full_name}").first if root == "/"
  FileUtils.cp_r("#{own}/.", draft) if own
  libraries = Dir.glob("#{root}/usr/lib/ruby/vendor_ruby") + Dir.glob("#{root}/usr/lib/*/ruby/vendor_ruby/*")
  libraries += Dir.glob("#{root}/usr/lib/*/rubygems-integration/*/extensions/*/*/#{spec.full_name}")
  libraries.each do |folder|
    FileUtils.mkdir_p("#{draft}/lib")
    FileUtils.cp_r("#{folder}/.", "#{draft}/lib")
  end
  spec.executables.each do |name|
    installed = "#{root}/usr/bin/#{name}"
    path = "#{draft}/#{spec.bindir}/#{name}"
    next if File.exist?(path) || !File.exist?(installed)
    FileUtils.mkdir_p(File.dirname(path))
    FileUtils.cp(installed, path)
  end
  spec.executables = spec.executables.select { |name| File.exist?("#{draft}/#{spec.bindir}/#{name}") }
end

def build_gem(path, root, folder)
  spec = Gem::Specification.load(path)
  Dir.mktmpdir do |draft|
    copy_gem(spec, root, draft)
    # Bundler takes no prerelease, and Debian has one of eventmachine.
    spec.version = spec.version.release
    Dir.chdir(draft) do
      spec.files = Dir.glob("**/*", File::FNM_DOTMATCH).select { |name| File.file?(name) }
      spec.extensions = spec.extra_rdoc_files = spec.test_files = []
      spec.platform = Gem::Platform.local if spec.files.any? { |name| name.end_with?(".so") }
      Gem::Package.build(spec, true, false, "#{folder}/#{spec.file_name}")
    end
  end
end

Gem::DefaultUserInteraction.ui = Gem::SilentUI.new
Dir.glob("#{packages}/*").each do |root|
  specs = Dir.glob("#{root}/{usr/share,usr/lib/*}/rubygems-integration/*/specifications/*.gemspec")
  specs.each { |path| build_gem(path, root, "#{site}/gems") }
end
# Gems that come with Ruby, such as minitest, are installed. Those with native parts are not needed.
Dir.glob("/usr/lib/ruby/gems/*/specifications/*.gemspec").each do |path|
  build_gem(path, "/", "#{site}/gems") if Gem::Specification.load(path).extensions.empty?
end
Gem::Indexer.new(site, build_modern: true).generate_index
