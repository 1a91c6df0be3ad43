"""How often the encoding of a name is guessed, beside charset-normalizer and chardet.

Each name is one game of SGF that names no encoding: ``python benchmarks/sgf_encodings.py``. A guess
is right if the name is read as it was written. Another program counts as Western where it gives no
answer. It needs charset-normalizer and chardet.
"""

import chardet
from charset_normalizer import from_bytes

from evenmatch.records.go.guessing import guessed_codec
from evenmatch.records.go.sgf_text import LATIN, codec_of

TUNED_ON = {
    "gb18030": "黑棋甲_白棋乙 柯洁 朱元璋_柯以 古力_李世石 常昊 聂卫平_马晓春 孔杰_邱峻 "
    "小林 陈耀烨_时越 华以刚 风清扬_独孤求败 芈昱廷 围棋大师_新手 张三_李四 "
    "刘星 周睿羊 江维杰_范廷钰 黄云嵩_党毅飞 彭立尧 弈城 无名小卒 "
    "腾讯围棋_野狐",
    "cp932": "張栩 井山裕太 高尾紳路_羽根直樹 山下敬吾 一力遼_芝野虎丸 武宮正樹 "
    "藤沢里菜 小林光一_趙治勲 結城聡 あきら ヒカル くろ_しろ ｸﾛ 許家元 髙橋 "
    "本因坊秀策 名人戦 仲邑菫 余正麒 今村俊也 大竹英雄_石田芳夫",
    "cp949": "이창호 이세돌 박정환 신진서_최정 조훈현_유창혁 최철한 강동윤 김지석 "
    "원성진 백번_흑번 서봉수 바둑 홍길동 한국기원 목진석 조치훈_김인 나현 "
    "허영호 이동훈 박영훈",
    "cp1252": "Müller Jürgen_Gänßle François José_Peña Søren Björn Åke_Öst Müller_Weiß "
    "Léa Dûchêne Guðmundur João Núñez Naïve Zoë André René_Hélène Jörg Größe "
    "Ångström",
    "big5hkscs": "周俊勳 張栩 王立誠_林海峰 陳詩淵 黑棋_白棋 林至涵_蕭正浩 王元均 許皓鋐 "
    "圍棋高手 黑嘉嘉_蘇聖芳 陳祈睿 賴均輔 林君諺 簡靖庭 楊博崴",
}
"""Names that the guessing was tuned on."""
HELD_OUT = {
    "gb18030": "俞斌 曹大元 刘小光 邵炜刚 周鹤洋 谢赫 唐韦星 杨鼎新 连笑 辜梓豪 李轩豪 "
    "丁浩 王星昊 於之莹 芮乃伟 张璇 罗洗河 王檄 胡耀宇 丁伟 檀啸 柁嘉熹 "
    "许嘉阳 屠晓宇",
    "big5hkscs": "王銘琬 蘇耀國 謝依旻 徐靖恩 盧鈺樺 吳清源 夏大銘 陳永安 潘坤鈺 俞俐均 "
    "黃祥任 林立祥 劉耀文 張凱馨",
    "cp932": "坂田栄男 藤沢秀行 加藤正夫 依田紀基 河野臨 村川大介 上野愛咲美 牛栄子 "
    "岩本薫 橋本宇太郎 高川格 木谷實 工藤紀夫 片岡聡 山城宏 淡路修三 伊田篤史 "
    "本木克弥",
    "cp949": "신민준 변상일 오유진 김은지 조혜연 루이나이웨이 안성준 조남철 장수영 "
    "김승준 최명훈 안조영 송태곤 윤준상 홍민표 박진솔 설현준",
    "cp1252": "Lübeck-Löwe Antti_Törmänen Frédéric_Donzet Jérôme_Salignon Víctor_Pérez "
    "Götz_Försch Håkan_Åström Jørgen_Sørensen Désirée Grüßner Schröder Bäcker "
    "Lefèvre Muñoz Gonçalves Hägglund Bjørnstad",
    "cp1251": "Динерштейн Сурин Шикшина Немлий Вашуров Кульков Мартинюк Богацкий "
    "Лазарев Ковалёва Бурдакова Меньшиков",
}
"""Names of players and some made up, none of them in the list above."""
CODECS = ["gb18030", "big5", "cp932", "euc-jp", "cp949", "cp1252", "cp1251"]
"""What the other two may answer; without it they are right less often."""


def of_normalizer(raw: bytes) -> str:
    """Return the codec that charset-normalizer names."""
    best = from_bytes(raw, cp_isolation=[*CODECS]).best()
    return codec_of(best.encoding.encode()) if best else ""


def of_chardet(raw: bytes) -> str:
    """Return the codec that chardet names."""
    found = chardet.detect(raw, include_encodings=CODECS, prefer_superset=True, compat_names=False)
    return codec_of((found["encoding"] or "").encode())


METHODS = {
    "charset-normalizer": of_normalizer,
    "chardet": of_chardet,
    "evenmatch": lambda raw: guessed_codec([raw]),
}


def main() -> None:
    """Print the tables of both lists."""
    for title, lists in (("tuned on", TUNED_ON), ("held out", HELD_OUT)):
        print(f"\n{title}\n")
        table(lists)


def table(lists: dict[str, str]) -> None:
    """Print how many names each method reads as they were written."""
    print("| encoding | names | " + " | ".join(METHODS) + " |")
    print("|---|---|" + "---|" * len(METHODS))
    sums = dict.fromkeys(METHODS, 0)
    total = 0
    for encoding, text in lists.items():
        names = [word.replace("_", " ") for word in text.split()]
        right = {
            method: sum(
                name.encode(encoding).decode(guess(name.encode(encoding)) or LATIN, "replace")
                == name
                for name in names
            )
            for method, guess in METHODS.items()
        }
        total += len(names)
        print(f"| {encoding} | {len(names)} | " + " | ".join(map(str, right.values())) + " |")
        for method, count in right.items():
            sums[method] += count
    print(f"| all | {total} | " + " | ".join(map(str, sums.values())) + " |")


if __name__ == "__main__":
    main()
