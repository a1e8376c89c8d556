//! What the files mean that a user names or drops: a scene, a database, a pattern, a mesh or clip, a cloth scene, a yarn
//! scene, a hybrid scene, a cache of simulated yarns.

use crate::loaded::LoadedScene;
use crate::scene::{ClipSpec, ClothSpec, Scene, SheetSpec, YarnsSpec};
use crate::scene_kind::{SceneKind, scene_kind};
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use yarnwise_shared::file::origin;
use yarnwise_solvers::cloth;

/// What a file is.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Scene(Box<Scene>),
    Yarns(YarnsSpec),
    Cloth(ClothSpec),
    /// Yarns that need no cloth.
    Strands(YarnsSpec),
}

/// A scene and the places of the files that it names, before these are read.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedScene {
    /// What is to be seen.
    pub scene: Scene,
    origin: String,
    folder: PathBuf,
    file: Option<PathBuf>,
}

impl NamedScene {
    /// Reads all that the scene names.
    pub fn load(self) -> Result<LoadedScene> {
        LoadedScene::load(self.scene, self.origin, self.folder)
    }

    /// All files and folders that are read: none of them may be an output.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.file.iter().cloned().collect();
        for yarns in std::iter::once(&self.scene.yarns).chain(&self.scene.compare) {
            files.extend(yarn_files(&self.folder, yarns));
        }
        match &self.scene.cloth {
            Some(ClothSpec::Clip(clip)) => files.extend(clip_files(&self.folder.join(&clip.file))),
            Some(ClothSpec::Simulation(path)) => files.extend(simulation_files(&self.folder.join(path))),
            Some(ClothSpec::Sheet(_) | ClothSpec::Tube(_) | ClothSpec::Skirt(_)) | None => {}
        }
        files
    }
}

/// What is read for a clip: a point cache is next to its mesh.
pub fn clip_files(path: &Path) -> Vec<PathBuf> {
    let beside = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pc2")).then(|| path.with_extension("obj"));
    std::iter::once(path.to_owned()).chain(beside).collect()
}

/// What is read for a cloth scene; one that cannot be read names nothing, which is reported when it is opened.
pub fn simulation_files(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files = vec![path.to_owned()];
    if let Ok(scene) = cloth::scene::Scene::read(path) {
        files.extend(scene.files().map(|file| folder.join(file)));
    }
    files
}

/// What is read for yarns.
fn yarn_files(folder: &Path, yarns: &YarnsSpec) -> Vec<PathBuf> {
    let path = folder.join(yarns.file());
    match yarns {
        YarnsSpec::Simulation(_) => yarn_scene_files(&path),
        YarnsSpec::Database(_) | YarnsSpec::Pattern(_) | YarnsSpec::Cache(_) => vec![path],
    }
}

/// What is read for a yarn scene or a hybrid one; one that cannot be read names nothing, which is reported when it is opened.
pub fn yarn_scene_files(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let named = yarn_scene_names(path).into_iter().map(|file| folder.join(file));
    std::iter::once(path.to_owned()).chain(named).collect()
}

#[cfg(feature = "yarn-level")]
fn yarn_scene_names(path: &Path) -> Vec<PathBuf> {
    if scene_kind(path).is_ok_and(|kind| kind == SceneKind::Hybrid) {
        let scene = yarnwise_solvers::hybrid::scene::Scene::read(path);
        return scene.map_or(Vec::new(), |scene| scene.files().map(Path::to_owned).collect());
    }
    let scene = yarnwise_solvers::yarn::scene::Scene::read(path);
    scene.map_or(Vec::new(), |scene| scene.files().map(Path::to_owned).collect())
}

#[cfg(not(feature = "yarn-level"))]
fn yarn_scene_names(_: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// Opens files, in any order: see [`read`].
pub fn open(current: Option<&LoadedScene>, files: &[PathBuf]) -> Result<LoadedScene> {
    read(current, files)?.load()
}

/// What files mean, in any order. A scene replaces everything; yarns or cloth alone replace those of `current`, and of two
/// databases the second is compared with the first.
pub fn read(current: Option<&LoadedScene>, files: &[PathBuf]) -> Result<NamedScene> {
    if let [file] = files
        && let Kind::Scene(scene) = kind(file)?
    {
        let folder = file.parent().unwrap_or(Path::new(".")).to_owned();
        return Ok(NamedScene { scene: *scene, origin: origin(file), folder, file: Some(file.clone()) });
    }
    if let [file] = files
        && let Kind::Strands(yarns) = kind(file)?
    {
        let (origin, folder) = (origin(file), PathBuf::new());
        return Ok(NamedScene { scene: Scene::of_strands(yarns), origin, folder, file: Some(file.clone()) });
    }
    let (yarns, cloth) = sort(files)?;
    let mut scene = match current {
        Some(loaded) if loaded.fabric.is_some() => from_anywhere(&loaded.scene, &loaded.folder),
        _ if yarns.is_empty() => {
            let problem = "a database (.ydb) is needed too: name or drop it together with the mesh";
            return Err(Error::Request(problem.into()));
        }
        _ => {
            let cloth = Some(ClothSpec::Sheet(SheetSpec::default()));
            Scene { cloth, ..Scene::of(PathBuf::new(), PathBuf::new()) }
        }
    };
    scene.description.clear();
    let mut yarns = yarns.into_iter();
    if let Some(first) = yarns.next() {
        (scene.yarns, scene.compare) = (first, yarns.next());
    }
    if let Some(cloth) = cloth {
        (scene.cloth, scene.still, scene.camera) = (Some(cloth), 0, Default::default());
    }
    let names: Vec<String> = files.iter().map(|f| origin(f)).collect();
    Ok(NamedScene { scene, origin: names.join(" + "), folder: PathBuf::new(), file: None })
}

/// Yarns and cloth among files that are opened together.
fn sort(files: &[PathBuf]) -> Result<(Vec<YarnsSpec>, Option<ClothSpec>)> {
    let (mut yarns, mut cloth) = (Vec::new(), None);
    for file in files {
        let problem = match kind(file)? {
            Kind::Yarns(spec) if yarns.len() < 2 => {
                yarns.push(spec);
                continue;
            }
            Kind::Cloth(spec) if cloth.is_none() => {
                cloth = Some(spec);
                continue;
            }
            Kind::Scene(_) | Kind::Strands(_) => "a scene or a cache is opened alone, without other files",
            Kind::Yarns(_) | Kind::Cloth(_) => "one mesh or clip and at most two databases go together",
        };
        return Err(Error::Request(format!("{}: {problem}", file.display())));
    }
    Ok((yarns, cloth))
}

fn kind(path: &Path) -> Result<Kind> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if path.is_dir() {
        let has_pattern = path.join("pyp").exists() || path.join("sxsasy").exists();
        return Ok(if has_pattern { Kind::Yarns(YarnsSpec::Database(full)) } else { clip(full) });
    }
    match extension.as_str() {
        "ydb" => Ok(Kind::Yarns(YarnsSpec::Database(full))),
        "yarn" | "pyp" => Ok(Kind::Yarns(YarnsSpec::Pattern(full))),
        "obj" | "bin" | "pc2" => Ok(clip(full)),
        "ycache" => Ok(Kind::Strands(YarnsSpec::Cache(full))),
        "json" if scene_kind(path).is_ok_and(|kind| kind != SceneKind::Cloth) => {
            Ok(Kind::Strands(YarnsSpec::Simulation(full)))
        }
        "json" => match Scene::read(path) {
            Ok(scene) => Ok(Kind::Scene(Box::new(scene))),
            // It may be a scene of the cloth solver; if it is neither, the first reason is the one to report.
            Err(reason) => match cloth::scene::Scene::read(path) {
                Ok(_) => Ok(Kind::Cloth(ClothSpec::Simulation(full))),
                Err(_) => Err(reason),
            },
        },
        _ if !path.exists() => Err(yarnwise_shared::Error::io(path, std::io::ErrorKind::NotFound.into()).into()),
        _ => Err(Error::Request(format!(
            "{}: is no file that can be looked at: a scene (.json), a database (.ydb), a pattern (.yarn, .pyp), a mesh or clip \
             (.obj, .bin, .pc2, a folder of .obj files) or a cache of simulated yarns (.ycache)",
            path.display()
        ))),
    }
}

fn clip(file: PathBuf) -> Kind {
    Kind::Cloth(ClothSpec::Clip(ClipSpec::of(file)))
}

/// The scene with paths that do not depend on its folder.
fn from_anywhere(scene: &Scene, folder: &Path) -> Scene {
    let full = |path: &Path| std::path::absolute(folder.join(path)).unwrap_or_else(|_| folder.join(path));
    let yarns = |spec: &YarnsSpec| spec.with_file(full(spec.file()));
    let cloth = |cloth: &ClothSpec| match cloth {
        ClothSpec::Clip(clip) => ClothSpec::Clip(ClipSpec { file: full(&clip.file), ..clip.clone() }),
        ClothSpec::Simulation(path) => ClothSpec::Simulation(full(path)),
        other => other.clone(),
    };
    Scene {
        yarns: yarns(&scene.yarns),
        compare: scene.compare.as_ref().map(yarns),
        cloth: scene.cloth.as_ref().map(cloth),
        ..scene.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name)
    }

    #[test]
    fn files_go_together_as_a_user_expects() {
        let knit = data("databases/stockinette.ydb");
        let weave = data("databases/plain.ydb");
        let alone = open(None, std::slice::from_ref(&knit)).unwrap();
        assert!(matches!(alone.scene.cloth, Some(ClothSpec::Sheet(_))), "a database alone is shown on a sheet");
        let other = open(Some(&alone), std::slice::from_ref(&weave)).unwrap();
        let name = |scene: &LoadedScene| scene.fabric.as_ref().unwrap().database.name().to_owned();
        assert_ne!(name(&other), name(&alone));
        assert_eq!(other.scene.cloth, alone.scene.cloth, "the cloth stays");
        let both = open(None, &[knit, weave]).unwrap();
        assert!(both.compare.is_some());
        let scene = open(None, &[data("scenes/stockinette-stretch.json")]).unwrap();
        let live = open(Some(&scene), &[data("cloth-scenes/pinned-corners.json")]).unwrap();
        assert!(
            matches!(live.scene.cloth, Some(ClothSpec::Simulation(_))),
            "yarns of one scene on the cloth of another"
        );
    }

    #[test]
    fn what_cannot_be_shown_is_refused_with_a_cure() {
        let problem = |files: &[PathBuf]| open(None, files).unwrap_err().to_string();
        assert!(problem(&[data("README.md")]).contains(".ydb"));
        assert!(problem(&["/nowhere/x.png".into()]).contains("/nowhere/x.png"));
        assert!(problem(&[data("cloth-scenes/flag.json")]).contains("a database"));
        let folder = tempfile::tempdir().unwrap();
        let bad = folder.path().join("bad.ydb");
        std::fs::write(&bad, b"not a database").unwrap();
        assert!(problem(&[bad]).contains("bad.ydb"));
        let scene = folder.path().join("bad.json");
        std::fs::write(&scene, b"{ \"yarns\": 3 }").unwrap();
        assert!(problem(&[scene]).contains("bad.json, line 1"));
    }
}
