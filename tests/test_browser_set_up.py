import set_up


def test_all_is_there_and_nothing_is_installed(monkeypatch):
    monkeypatch.setattr(set_up, "install", lambda names: 1 / 0)
    assert set_up.main() == 0


def test_what_cannot_be_installed_is_told(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(set_up, "FINDERS", {"LaTeX": lambda: None, "Chromium": lambda: "there"})
    monkeypatch.setattr(set_up, "install", asked.extend)
    assert set_up.main() == 1
    assert asked == ["LaTeX"]
    assert "apt-get install texlive-latex-base" in capsys.readouterr().err
