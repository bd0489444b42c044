"""Makes a Python index and a Composer repository from unpacked Debian packages: registry.py PACKAGES SITE URL"""

import hashlib
import json
import pathlib
import re
import sys
import zipfile

packages, site, url = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]


def write_zip(path, files):
    """Writes an archive of pairs: name in the archive, and bytes or the path of a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files:
            archive.writestr(name, content if isinstance(content, bytes) else content.read_bytes())


def files_below(folder):
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def field(folder, name):
    found = re.search(rf"^{name}: (.*)$", (folder / "control").read_text(), re.M)
    return found[1] if found else ""


def dependencies(folder, prefix):
    """The names of the Debian packages that a package needs. Debian removes them from a Python package's own list."""
    return [word.split(" ")[0] for word in re.split("[,|] *", field(folder, "Depends")) if word.startswith(prefix)]


def distribution_name(info):
    return re.split("-[0-9]", info.name)[0]


def make_wheel(info):
    metadata = info / ("METADATA" if info.suffix == ".dist-info" else "PKG-INFO")
    head, _, body = metadata.read_text().partition("\n\n")
    name, version = (re.search(rf"^{key}: (.*)$", head, re.M)[1] for key in ("Name", "Version"))
    root = info.parent
    debian = dependencies(root.parents[3], "python3-")
    # Debian has parts of setuptools in another package, which is none of Python's.
    roots = [root] + [packages / name / "usr/lib/python3/dist-packages" for name in debian if name not in python_names]
    files = [(path, top) for top in roots for path in files_below(top) if info not in path.parents]
    tag = "cp311-cp311-linux_x86_64" if any(path.suffix == ".so" for path, _ in files) else "py3-none-any"
    stem = f"{re.sub('[-_.]+', '_', name)}-{version}"
    needed = [python_names[name] for name in debian if name in python_names]
    described = "\n".join([head, *(f"Requires-Dist: {name}" for name in needed)]) + f"\n\n{body}"
    programs = info / "entry_points.txt"
    entries = [(str(path.relative_to(top)), path) for path, top in files]
    entries += [
        (f"{stem}.dist-info/METADATA", described.encode()),
        (f"{stem}.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()),
    ]
    if programs.exists():
        entries.append((f"{stem}.dist-info/entry_points.txt", programs))
    record = "".join(f"{entry},,\n" for entry, _ in entries) + f"{stem}.dist-info/RECORD,,\n"
    entries.append((f"{stem}.dist-info/RECORD", record.encode()))
    write_zip(site / "simple" / re.sub("[-_.]+", "-", name).lower() / f"{stem}-{tag}.whl", entries)


def make_php_package(folder):
    root = folder / "usr/share/php"
    version = re.sub(r"^\d+:|[+~-].*$", "", field(folder, "Version"))
    files = [path for path in files_below(root) if path.suffix != ".so"]
    functions = [
        str((path.parent / part).relative_to(root))
        for path in files
        if path.name == "autoload.php"
        for part in re.findall(r"^ *require(?:_once)? __DIR__ ?\. ?'/([\w/]+\.php)'", path.read_text(), re.M)
        if not part.endswith("autoload.php") and (path.parent / part).exists()
    ]
    needed = [composer_names[name] for name in dependencies(folder, "php-") if name in composer_names]
    archive = site / "composer" / f"{folder.name}.zip"
    # Composer removes a folder that is the only one at the top.
    write_zip(archive, [(f"{folder.name}/{path.relative_to(root)}", path) for path in files])
    return {
        "name": composer_names[folder.name],
        "version": version,
        "type": "library",
        "require": {name: "*" for name in needed},
        "autoload": {"classmap": [""], "files": sorted(set(functions))},
        "dist": {
            "type": "zip",
            "url": f"{url}/composer/{archive.name}",
            "shasum": hashlib.sha1(archive.read_bytes()).hexdigest(),
        },
    }


def composer_name(folder):
    name = folder.name.removeprefix("php-").replace("-", "/", 1)
    return name if "/" in name else f"{name}/{name}"


infos = list(packages.glob("python3-*/usr/lib/python3/dist-packages/*-info"))
python_names = {info.parents[4].name: distribution_name(info) for info in infos}
for info in infos:
    make_wheel(info)

php_folders = [path.parents[2] for path in packages.glob("php-*/usr/share/php")]
composer_names = {folder.name: composer_name(folder) for folder in php_folders}
made = [make_php_package(folder) for folder in php_folders]
(site / "composer/packages.json").write_text(
    json.dumps({"packages": {each["name"]: {each["version"]: each} for each in made}})
)
