//! A real X server without a screen, and a user with a mouse and a keyboard: Xvfb and xdotool.

use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use yarnwise_picture::Picture;
use yarnwise_tests::folder::Folder;
use yarnwise_tests::program::{Program, Started, first_line, wait};

/// Far longer than anything takes; after that, waiting is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// What to do where a program is missing.
const CURE: &str = "the window cannot be tested without it: run scripts/setup.sh or ./check";

/// One at a time: windows that draw together wait for each other.
static ALONE: Mutex<()> = Mutex::new(());

/// An X server with one window of ours.
pub(crate) struct Desktop {
    _alone: MutexGuard<'static, ()>,
    viewer: Started,
    _server: Started,
    xdotool: Program,
    folder: Folder,
    size: [u32; 2],
}

impl Desktop {
    /// Starts the server and the viewer on it, and waits for its window.
    ///
    /// # Panics
    /// Without Xvfb and xdotool: a test that cannot run has not passed.
    pub(crate) fn open(size: [u32; 2], arguments: &[&str]) -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Folder::new();
        let (server, display) = start_server(size, &folder);
        let viewer = Command::new(env!("CARGO_BIN_EXE_yarnwise-view"))
            .arg("--size")
            .arg(format!("{}x{}", size[0], size[1]))
            .args(arguments)
            .env("DISPLAY", &display)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_RUNTIME_DIR", folder.root())
            .current_dir(folder.root())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.path("stderr")).unwrap())
            .spawn()
            .map(Started)
            .unwrap();
        let found = Command::new("xdotool").arg("version").stdout(Stdio::null()).status();
        found.unwrap_or_else(|e| panic!("xdotool: {e}; {CURE}"));
        let xdotool = Program::new("xdotool").environment("DISPLAY", Some(&display)).within(PATIENCE);
        let mut desktop = Desktop { _alone: alone, _server: server, viewer, xdotool, folder, size };
        desktop.focus();
        desktop.wait_for("the first picture", |desktop, now| !blank(now) && !blank(&desktop.canvas(now)));
        desktop
    }

    fn focus(&mut self) {
        let start = Instant::now();
        loop {
            let found = self.xdotool(&["search", "--name", "Yarnwise"]);
            if let Some(window) = found.lines().next() {
                // Without a window manager nothing else gives the window the keyboard.
                self.xdotool(&["windowmove", window, "0", "0", "windowfocus", window]);
                return;
            }
            self.check_alive();
            assert!(start.elapsed() < PATIENCE, "no window appears: {}", self.complaints());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Sends events, as a user would make them.
    pub(crate) fn xdotool(&self, arguments: &[&str]) -> String {
        self.xdotool.run(arguments).stdout
    }

    /// Presses a button, moves in steps and releases it.
    pub(crate) fn drag(&self, button: u32, from: [i32; 2], to: [i32; 2]) {
        self.press(button, from, to);
        self.xdotool(&["mouseup", &button.to_string()]);
    }

    /// The same without releasing.
    pub(crate) fn press(&self, button: u32, from: [i32; 2], to: [i32; 2]) {
        let place = |p: [i32; 2]| p.map(|c| c.to_string());
        let [x, y] = place(from);
        self.xdotool(&["mousemove", &x, &y, "mousedown", &button.to_string()]);
        const STEPS: i32 = 5;
        for i in 1..=STEPS {
            let [x, y] = place([0, 1].map(|k| from[k] + (to[k] - from[k]) * i / STEPS));
            self.xdotool(&["mousemove", &x, &y, "sleep", "0.1"]);
        }
    }

    /// A key.
    pub(crate) fn key(&self, key: &str) {
        self.xdotool(&["key", key]);
    }

    /// What is on screen now: the server's frame buffer, a file in XWD format.
    pub(crate) fn look(&self) -> Picture {
        let bytes = self.folder.bytes("Xvfb_screen0");
        let field = |i: usize| u32::from_be_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap()) as usize;
        let (header, width, height, bits, row, colors) =
            (field(0), field(4), field(5), field(11), field(12), field(19));
        assert_eq!((field(1), bits), (7, 32), "not the format that was expected");
        let rows = bytes[header + 12 * colors..].chunks_exact(row).take(height);
        let pixel = |p: &[u8]| [p[2], p[1], p[0], 255];
        let pixels = rows.flat_map(|r| r[..4 * width].chunks_exact(4).flat_map(pixel)).collect();
        Picture { width: width as u32, height: height as u32, pixels }
    }

    /// Waits until nothing has changed for a while: what is on screen when all is drawn.
    pub(crate) fn settle(&mut self) -> Picture {
        let start = Instant::now();
        let mut last = self.look();
        let mut same = 0;
        while same < 6 {
            std::thread::sleep(Duration::from_millis(250));
            self.check_alive();
            let now = self.look();
            same = if now == last { same + 1 } else { 0 };
            last = now;
            assert!(start.elapsed() < PATIENCE, "the picture never comes to rest: {}", self.complaints());
        }
        last
    }

    /// Waits until what is on screen is as it should be.
    pub(crate) fn wait_for(&mut self, what: &str, mut there: impl FnMut(&Desktop, &Picture) -> bool) {
        let start = Instant::now();
        loop {
            let now = self.look();
            if there(self, &now) {
                return;
            }
            self.check_alive();
            assert!(start.elapsed() < PATIENCE, "{what} does not happen: {}", self.complaints());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until the viewer has ended; whether it ended well.
    pub(crate) fn wait_for_end(&mut self) -> bool {
        let status = wait(&mut self.viewer.0, PATIENCE);
        status.unwrap_or_else(|| panic!("it does not end: {}", self.complaints())).success()
    }

    fn check_alive(&mut self) {
        let status = self.viewer.0.try_wait().unwrap();
        assert!(status.is_none(), "the viewer has ended ({status:?}): {}", self.complaints());
    }

    /// What the viewer has printed.
    pub(crate) fn complaints(&self) -> String {
        self.folder.text("stderr")
    }

    /// Where the viewer runs: pictures are saved here.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The part of the screen that shows the cloth: left of the settings, above the moment.
    pub(crate) fn canvas(&self, picture: &Picture) -> Picture {
        let (width, height) = (self.size[0] - 310, self.size[1] - 40);
        let row = |y: u32| {
            let start = (y * picture.width) as usize * 4;
            picture.pixels[start..start + width as usize * 4].iter().copied()
        };
        Picture { width, height, pixels: (0..height).flat_map(row).collect() }
    }
}

fn blank(picture: &Picture) -> bool {
    picture.pixels.chunks_exact(4).all(|p| p == &picture.pixels[..4])
}

/// An X server whose screen is a file in `folder`, and the name of its display.
fn start_server(size: [u32; 2], folder: &Folder) -> (Started, String) {
    let screen = format!("{}x{}x24", size[0], size[1]);
    let server = Command::new("Xvfb")
        // A server without clients would start anew, and accept no connections meanwhile.
        .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset", "-screen", "0", &screen])
        .arg("-fbdir")
        .arg(folder.root())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut server = Started(server.unwrap_or_else(|e| panic!("Xvfb: {e}; {CURE}")));
    let output = server.0.stdout.take().expect("its output is piped");
    let display = format!(":{}", first_line(output, "Xvfb", PATIENCE));
    (server, display)
}
