import HTMLMarkup

/// The page's style: system fonts, Korean ones included; blue for water, green for growth. In light and dark mode,
/// every text has a contrast of at least 4.5:1, and every mark in a picture at least 3:1 or a number in it.
enum StyleSheet {
    static let markup: Markup = """
        :root{--paper:#f6f5f0;--card:#fff;--ink:#1f2b25;--muted:#56645c;--line:#dcdfd8;--water:#2b6f9e;--plain:#7e93a0;
        --sprout:#6d9a3a;--bud:#2f6f45;--bloom:#b8436b;--heat0:#f1f2ed;--heat1:#d6e6f1;--heat2:#9cc3de;--heat3:#35779f;
        --heat4:#184d75;--delivered:#23777d;--superseded:#868d8a;--suppressed:#7a63b0;--expired:#ae6711;--dead:#a8322d;
        --pending:#4a86c5}
        @media screen and (prefers-color-scheme:dark){
        :root{--paper:#111714;--card:#1a221e;--ink:#e5ebe7;--muted:#a2b0a8;--line:#313d37;--water:#6cb2e0;--plain:#7c92a0;
        --sprout:#a9c96f;--bud:#5fae7b;--bloom:#ec86a8;--heat0:#212b26;--heat1:#1f3a4d;--heat2:#2f5f80;--heat3:#5b9fcc;
        --heat4:#b3d9f2;--delivered:#5fb6b8;--superseded:#8f9a95;--suppressed:#b49be6;--expired:#e0a04a;--dead:#ee7b72;
        --pending:#6fa8e6}
        }
        *{box-sizing:border-box}
        body{margin:0;background:var(--paper);color:var(--ink);
        font:1rem/1.5 system-ui,-apple-system,"Apple SD Gothic Neo","Noto Sans KR","Noto Sans CJK KR","Malgun Gothic",
        sans-serif;font-variant-numeric:tabular-nums;word-break:keep-all;overflow-wrap:anywhere;
        -webkit-text-size-adjust:100%}
        header,main,footer{max-width:68rem;margin:0 auto;padding:0 .5rem}
        header{padding-top:1.5rem}
        .brand{display:flex;align-items:center;gap:.4rem;margin:0;color:var(--muted);font-weight:600}
        .brand svg{width:1.5rem;height:1.5rem}
        h1{margin:.25rem 0 0;font-size:clamp(1.5rem,5vw,2.125rem);line-height:1.25;letter-spacing:-.01em}
        .day{margin:.25rem 0 0;color:var(--muted)}
        dl{display:grid;grid-template-columns:1fr 1fr;gap:.5rem;margin:1.25rem 0}
        dl div:last-child{grid-column:1/-1}
        dl div{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.6rem .8rem}
        dt{color:var(--muted);font-size:.8125rem}
        dd{margin:0;font-size:1.5rem;font-weight:650;line-height:1.3}
        main{display:grid;gap:.75rem}
        .card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem .625rem;min-width:0}
        h2{margin:0;font-size:1.125rem;line-height:1.35}
        .lead{margin:.25rem 0 0;text-wrap:pretty}
        .empty .lead{color:var(--muted)}
        figure{margin:1rem auto 0;max-width:26rem}
        figure svg{display:block;width:100%;height:auto}
        .legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:.75rem 0 0;padding:0;font-size:.875rem}
        .legend li{display:flex;align-items:center}
        .swatch{display:inline-block;width:.75rem;height:.75rem;margin-right:.4rem;border-radius:.2rem;
        forced-color-adjust:none}
        .remark{margin:.75rem 0 0;color:var(--muted);font-size:.875rem}
        details{margin:.5rem auto 0;max-width:26rem;font-size:.875rem}
        summary{padding:.25rem 0;color:var(--muted);cursor:pointer}
        summary:focus-visible{outline:2px solid var(--water);outline-offset:2px}
        table{width:100%;margin-top:.5rem;border-collapse:collapse}
        th,td{padding:.25rem .5rem .25rem 0;border-bottom:1px solid var(--line);text-align:left;font-weight:400;
        overflow-wrap:break-word}
        thead th{color:var(--muted)}
        .number{text-align:right}
        td.number{overflow-wrap:anywhere}
        .heard{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%)}
        footer{padding-top:1rem;padding-bottom:2rem;color:var(--muted);font-size:.8125rem}
        svg text{fill:var(--ink);font-size:14px;unicode-bidi:isolate}
        svg .axis{fill:var(--muted);font-size:13px}
        svg .figure{font-weight:600}
        svg .middle{text-anchor:middle}
        svg .end{text-anchor:end}
        .grid{stroke:var(--line);stroke-width:1}
        .diagonal{stroke:var(--muted);stroke-width:1.5;stroke-dasharray:4 4}
        .whisker{stroke:var(--water);stroke-width:1.5}
        .dot{fill:var(--water);stroke:var(--card);stroke-width:1}
        svg .word{text-anchor:middle;font-weight:600}
        svg .loud{fill:var(--water)}
        svg .clear{fill:var(--bud)}
        svg .soft{fill:var(--muted)}
        .cell{stroke:var(--line);stroke-width:.5}
        .today{stroke:var(--ink);stroke-width:2;box-shadow:inset 0 0 0 2px var(--ink)}
        svg .count{font-size:11px;font-weight:600}
        svg .on3,svg .on4{fill:var(--card)}
        .sprout{fill:var(--sprout);background:var(--sprout)}
        .bud{fill:var(--bud);background:var(--bud)}
        .bloom{fill:var(--bloom);background:var(--bloom)}
        .water{fill:var(--water);background:var(--water)}
        .plain{fill:var(--plain);background:var(--plain)}
        .heat0{fill:var(--heat0);background:var(--heat0)}
        .heat1{fill:var(--heat1);background:var(--heat1)}
        .heat2{fill:var(--heat2);background:var(--heat2)}
        .heat3{fill:var(--heat3);background:var(--heat3)}
        .heat4{fill:var(--heat4);background:var(--heat4)}
        .delivered{fill:var(--delivered);background:var(--delivered)}
        .superseded{fill:var(--superseded);background:var(--superseded)}
        .suppressed{fill:var(--suppressed);background:var(--suppressed)}
        .expired{fill:var(--expired);background:var(--expired)}
        .dead{fill:var(--dead);background:var(--dead)}
        .pending{fill:var(--pending);background:var(--pending)}
        @media (min-width:40rem){
        dl{grid-template-columns:repeat(5,1fr)}
        dl div:last-child{grid-column:auto}
        }
        @media (min-width:48rem){
        header,main,footer{padding-left:1.5rem;padding-right:1.5rem}
        main{grid-template-columns:1fr 1fr;gap:1rem}
        .card{padding:1.25rem}
        }
        @media print{
        :root{font-size:81.25%}
        body{background:none;-webkit-print-color-adjust:exact;print-color-adjust:exact}
        main{grid-template-columns:1fr 1fr}
        .card,dl div{break-inside:avoid}
        details{display:none}
        }
        """
}
